internal import JSON
internal import Telemetry

/// The ends of a payload's window as they stand in the document.
struct DiagnosticWindow {
  var begin: JSONValue?
  var end: JSONValue?

  /// An end that may be a time. Anything else is left out, since every diagnostic of a payload is kept with its window.
  private static func kept(_ end: JSONValue?) -> JSONValue? {
    guard let end else { return nil }
    switch end.kind {
    case .integer, .double: return end
    case .string: return (end.textOrNil).flatMap { $0.count <= 64 ? end : nil }
    case .object, .array, .boolean, .null: return nil
    }
  }

  /// The same for the same diagnostic whenever and in whatever order of members it comes.
  func identity(of element: JSONObject, _ kind: DiagnosticKind, _ origin: DiagnosticOrigin) -> UInt64 {
    var hash = ContentHash(seed: UInt64(kind.rawValue))
    hash.combine(element.value.contentHash())
    hash.combine(Self.kept(begin)?.contentHash() ?? 0)
    hash.combine(Self.kept(end)?.contentHash() ?? 0)
    origin.combine(into: &hash)
    return hash.value
  }

  /// The element as JSON, with the window unless it holds one itself.
  func body(of element: JSONObject, keepsText: Bool) -> [UInt8] {
    var writer = JSONCompactWriter { key, value in !keepsText && ExceptionText.isHeld(by: key, value) }
    let isInside = element["timeStampBegin"] != nil || element["timeStampEnd"] != nil || element["timeRange"] != nil
    let window: [(key: StaticString, value: JSONValue?)] = [
      ("timeStampBegin", Self.kept(begin)), ("timeStampEnd", Self.kept(end)),
    ]
    writer.append(isInside ? [] : window, then: element)
    return writer.bytes
  }
}
