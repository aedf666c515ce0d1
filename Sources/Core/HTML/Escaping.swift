/// Escapes text for element content and for quoted attribute values alike.
///
/// It works on bytes, never on `Character`: a combining mark after `<` forms one `Character` with it, and a search for
/// "<" would miss it.
enum Escaping {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { source in
      var start = 0
      for index in source.indices {
        let byte = source[index]
        // Nearly every byte of a page is a letter, so one comparison usually decides.
        if byte > UInt8(ascii: ">"), byte != 0x7F { continue }
        guard let replacement = replacement(for: byte) else { continue }
        bytes.append(contentsOf: source[start..<index])
        replacement.withUTF8Buffer { bytes.append(contentsOf: $0) }
        start = index + 1
      }
      bytes.append(contentsOf: source[start...])
    }
  }

  /// The replacement of a byte; nil if it stays. Control characters have no meaning in a page, and browsers treat NUL
  /// differently.
  private static func replacement(for byte: UInt8) -> StaticString? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    case 0x09, 0x0A, 0x0D: nil
    case 0..<0x20, 0x7F: "\u{FFFD}"
    default: nil
    }
  }
}
