internal import JSON
internal import Telemetry

/// The ends of a payload's window as they stand in the document.
struct DiagnosticWindow {
  var begin: JSONValue?
  var end: JSONValue?

  /// The same for the same diagnostic whenever and in whatever order of members it comes.
  func identity(of element: JSONObject, _ kind: DiagnosticKind, _ origin: DiagnosticOrigin) -> UInt64 {
    var hash = ContentHash(seed: UInt64(kind.rawValue))
    hash.combine(element.value.contentHash())
    hash.combine(begin?.contentHash() ?? 0)
    hash.combine(end?.contentHash() ?? 0)
    origin.combine(into: &hash)
    return hash.value
  }

  /// The element as JSON, with the window unless it holds one itself.
  func body(of element: JSONObject, keepsText: Bool) -> [UInt8] {
    var writer = JSONCompactWriter { key, value in !keepsText && ExceptionText.isHeld(by: key, value) }
    let isInside = element["timeStampBegin"] != nil || element["timeStampEnd"] != nil || element["timeRange"] != nil
    let window: [(key: StaticString, value: JSONValue?)] = [("timeStampBegin", begin), ("timeStampEnd", end)]
    writer.append(isInside ? [] : window, then: element)
    return writer.bytes
  }
}
