/// JSON with members in the order they are written, so that the contract reads like its documentation and equal numbers
/// give equal bytes.
indirect enum JSONText {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONText])
  case object([(String, JSONText)])

  /// What is not known is null.
  static func optional(_ value: Double?) -> JSONText { value.map(JSONText.number) ?? .null }
  static func optional(_ value: Int?) -> JSONText { value.map { .integer(Int64($0)) } ?? .null }
  static func optional(_ value: String?) -> JSONText { value.map(JSONText.string) ?? .null }
  static func count(_ value: Int) -> JSONText { .integer(Int64(value)) }

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return bytes
  }

  private func write(into bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .number(let value): Self.write(value, into: &bytes)
    case .string(let text): Self.write(text, into: &bytes)
    case .array(let items):
      bytes.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        item.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.0, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.write(into: &bytes)
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

  private static func write(_ text: String, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, 0x7f: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
