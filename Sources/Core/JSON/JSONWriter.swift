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
    if holdsSpecial(text) {
      for at in text.indices where isSpecial(text[at]) {
        bytes.append(contentsOf: text[start..<at])
        forEachByte(escaping: text[at], shortLineEnds) { bytes.append($0) }
        start = at + 1
      }
    }
    bytes.append(contentsOf: text[start...])
    bytes.append(UInt8(ascii: "\""))
  }

  /// The size of the quoted text in bytes, with `shortLineEnds`.
  static func size(of text: UnsafeBufferPointer<UInt8>) -> Int {
    var size = text.count + 2
    guard holdsSpecial(text) else { return size }
    for byte in text where isSpecial(byte) {
      forEachByte(escaping: byte, true) { _ in size += 1 }
      size -= 1
    }
    return size
  }

  /// Whether any byte needs an escape.
  @inline(__always)
  private static func holdsSpecial(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeRawBufferPointer(text)
    var (special, at): (UInt64, Int) = (0, 0)
    while at + 8 <= bytes.count {
      special |= specials(bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at += 8
    }
    if at < bytes.count {
      special |= specials(bytes.lastWord(from: at) | 0x2020_2020_2020_2020 &<< UInt64(8 * (bytes.count - at)))
    }
    return special != 0
  }

  static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// A bit for each of eight bytes that needs an escape; 0 if none does. Each term sets the upper bit of a byte if that
  /// byte, or one below it, is less than a limit (Sean Eron Anderson, "Bit Twiddling Hacks").
  static func specials(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones * UInt64(UInt8(ascii: "\"")))
    let slashes = word ^ (ones * UInt64(UInt8(ascii: "\\")))
    let found =
      ((word &- ones * 0x20) & ~word) | ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
    return found & (ones * 0x80)
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
