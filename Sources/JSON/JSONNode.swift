/// JSON to be written, with members in the order given, so that answers read like their documentation and equal numbers give
/// equal bytes. `JSONValue` is its counterpart for reading.
public indirect enum JSONNode: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONNode])
  case object([(String, JSONNode)])

  /// What is not known is null.
  public static func optional(_ value: Double?) -> JSONNode { value.map(JSONNode.number) ?? .null }
  public static func optional(_ value: Int?) -> JSONNode { value.map { .integer(Int64($0)) } ?? .null }
  public static func optional(_ value: String?) -> JSONNode { value.map(JSONNode.string) ?? .null }
  public static func count(_ value: Int) -> JSONNode { .integer(Int64(value)) }

  /// The document as UTF-8 without white space. `shortLineEnds`: line ends in texts as `\n`, not as `\u000a`.
  public func encoded(shortLineEnds: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes, shortLineEnds)
    return bytes
  }

  private func write(into bytes: inout [UInt8], _ shortLineEnds: Bool) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .number(let value): Self.write(value, into: &bytes)
    case .string(let text): Self.write(text, into: &bytes, shortLineEnds)
    case .array(let items):
      bytes.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        item.write(into: &bytes, shortLineEnds)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.0, into: &bytes, shortLineEnds)
        bytes.append(UInt8(ascii: ":"))
        member.1.write(into: &bytes, shortLineEnds)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ value: Double, into bytes: inout [UInt8]) {
    guard value.isFinite else {
      bytes += "null".utf8
      return
    }
    if value == value.rounded(), abs(value) < 9_007_199_254_740_992 {
      bytes += String(Int64(value)).utf8
    } else {
      bytes += value.description.utf8
    }
  }

  private static func write(_ text: String, into bytes: inout [UInt8], _ shortLineEnds: Bool) {
    var text = text
    text.withUTF8 { JSONEscape.append($0, to: &bytes, shortLineEnds: shortLineEnds) }
  }
}
