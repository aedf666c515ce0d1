/// A JSON value to be written, with members in the order given. Equal values give equal bytes. Its counterpart for
/// reading is `JSONValue`.
public indirect enum JSONOutput: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONOutput])
  case object([(String, JSONOutput)])

  /// The JSON of an optional value: null for nil.
  public static func optional(_ value: Double?) -> JSONOutput { value.map(JSONOutput.number) ?? .null }
  public static func optional(_ value: Int?) -> JSONOutput { value.map { .integer(Int64($0)) } ?? .null }
  public static func optional(_ value: String?) -> JSONOutput { value.map(JSONOutput.string) ?? .null }
  public static func count(_ value: Int) -> JSONOutput { .integer(Int64(value)) }

  /// The document as UTF-8 without white space. With `shortLineEnds`, a line feed in a string is written as `\n`, not
  /// `\u000a`.
  public func encoded(shortLineEnds: Bool = false) -> [UInt8] {
    var writer = JSONWriter(shortLineEnds: shortLineEnds)
    write(to: &writer)
    return writer.bytes
  }

  /// Writes the value as a part of a larger document.
  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.literal("null")
    case .bool(let value): writer.literal(value ? "true" : "false")
    case .integer(let value): writer.literal(String(value))
    case .number(let value): writer.literal(Self.literal(value))
    case .string(let text): writer.text(text)
    case .array(let items): writer.array(items) { $1.write(to: &$0) }
    case .object(let members):
      writer.object { for (name, value) in members { $0.member(name, value.write) } }
    }
  }

  /// A number as JSON: whole numbers without a fraction, null for NaN and infinity, which JSON cannot represent.
  private static func literal(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    return value == value.rounded() && abs(value) < 9_007_199_254_740_992
      ? String(Int64(value)) : value.description
  }
}

extension JSONOutput: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(arrayLiteral items: JSONOutput...) { self = .array(items) }
}
