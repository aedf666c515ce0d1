/// Texts as JSON writes them. Runs of plain bytes are copied at once, and nothing is allocated for an escape: a hostile text
/// is made of nothing else.
public enum JSONEscape {
  /// Appends the text in quotes. `shortLineEnds`: a line end as `\n`, not as `\u000a`.
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
