/// Writes a JSON document without white space, part by part: for documents too large to be built as a `JSONOutput` first.
public struct JSONWriter: Sendable {
  /// The JSON written so far, as UTF-8.
  public private(set) var bytes: [UInt8] = []
  private var isFirst = true
  private let shortLineEnds: Bool

  /// Creates an empty document. `shortLineEnds` writes line ends in strings as `\
  /// ` instead of `\\u000a`.
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

/// Escapes strings by RFC 8259 §7. Plain bytes are copied in runs and escapes allocate nothing, because a hostile text
/// may consist of escapes only.
public enum JSONEscape {
  /// Appends the text in quotes. `shortLineEnds` writes line ends as `\
  /// ` instead of `\\u000a`.
  public static func append(
    _ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8], shortLineEnds: Bool = false
  ) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    for at in text.indices where isSpecial(text[at]) {
      bytes.append(contentsOf: text[start..<at])
      append(escaped: text[at], to: &bytes, shortLineEnds)
      start = at + 1
    }
    bytes.append(contentsOf: text[start...])
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func append(escaped byte: UInt8, to bytes: inout [UInt8], _ shortLineEnds: Bool) {
    bytes.append(UInt8(ascii: "\\"))
    if byte >= 0x20 { return bytes.append(byte) }
    if shortLineEnds, byte == UInt8(ascii: "\n") { return bytes.append(UInt8(ascii: "n")) }
    bytes.append(UInt8(ascii: "u"))
    bytes.append(UInt8(ascii: "0"))
    bytes.append(UInt8(ascii: "0"))
    bytes.append(digit(byte >> 4))
    bytes.append(digit(byte & 15))
  }

  private static func digit(_ nibble: UInt8) -> UInt8 { nibble + (nibble < 10 ? 0x30 : 0x57) }
}
