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

/// A writer of JSON without white space, part by part, for documents too large to build as a `JSONOutput` first.
public struct JSONWriter: Sendable {
  /// The JSON written so far, as UTF-8.
  public private(set) var bytes: [UInt8] = []
  private var isFirst = true
  private let shortLineEnds: Bool

  /// Creates an empty document. With `shortLineEnds`, a line feed in a string is written as `\n`, not `\u000a`.
  public init(shortLineEnds: Bool = false) { self.shortLineEnds = shortLineEnds }

  /// Writes an object; `members` calls `member` for each member.
  public mutating func object(_ members: (inout Self) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    members(&self)
    bytes.append(UInt8(ascii: "}"))
    isFirst = false
  }

  /// Writes a member of the current object; `value` writes its value.
  public mutating func member(_ name: String, _ value: (inout Self) -> Void) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    text(name)
    bytes.append(UInt8(ascii: ":"))
    value(&self)
    isFirst = false
  }

  /// Writes an array; `write` writes one element.
  public mutating func array<Element>(
    _ elements: some Sequence<Element>, _ write: (inout Self, Element) -> Void
  ) {
    bytes.append(UInt8(ascii: "["))
    var isFirstElement = true
    for element in elements {
      if !isFirstElement { bytes.append(UInt8(ascii: ",")) }
      isFirstElement = false
      write(&self, element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Appends a number, `true`, `false` or `null` unchanged.
  public mutating func literal(_ text: String) { bytes += text.utf8 }

  /// Writes an escaped string.
  public mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { JSONEscape.append($0, to: &bytes, shortLineEnds: shortLineEnds) }
  }
}

/// String escapes of RFC 8259 §7. Plain bytes are copied in runs and escapes allocate no memory, because a hostile text
/// may consist of escapes only.
public enum JSONEscape {
  /// Appends the quoted text. With `shortLineEnds`, a line feed is written as `\n`, not `\u000a`.
  public static func append(
    _ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8], shortLineEnds: Bool = false
  ) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    for at in text.indices where isSpecial(text[at]) {
      bytes.append(contentsOf: text[start..<at])
      forEachByte(escaping: text[at], shortLineEnds) { bytes.append($0) }
      start = at + 1
    }
    bytes.append(contentsOf: text[start...])
    bytes.append(UInt8(ascii: "\""))
  }

  static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Whether any of eight bytes needs an escape. Each term sets the upper bit of a byte if that byte, or one below it,
  /// is less than a limit (Sean Eron Anderson, "Bit Twiddling Hacks").
  static func hasSpecial(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones * UInt64(UInt8(ascii: "\"")))
    let slashes = word ^ (ones * UInt64(UInt8(ascii: "\\")))
    let found =
      ((word &- ones * 0x20) & ~word) | ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
    return found & (ones * 0x80) != 0
  }

  /// Passes the bytes of the escape sequence of a special byte to `body`.
  static func forEachByte(escaping byte: UInt8, _ shortLineEnds: Bool, _ body: (UInt8) -> Void) {
    body(UInt8(ascii: "\\"))
    if byte >= 0x20 { return body(byte) }
    if shortLineEnds, byte == UInt8(ascii: "\n") { return body(UInt8(ascii: "n")) }
    body(UInt8(ascii: "u"))
    body(UInt8(ascii: "0"))
    body(UInt8(ascii: "0"))
    body(digit(byte >> 4))
    body(digit(byte & 15))
  }

  private static func digit(_ nibble: UInt8) -> UInt8 { nibble + (nibble < 10 ? 0x30 : 0x57) }
}
