/// The cleaning rule for all external text that is shown as a name: versions, builds, devices, OS versions, labels,
/// metrics, environments, clients, reasons, functions and binaries.
///
/// A cleaned name cannot start a new line in a log, change a terminal's colour or cursor, or reverse the text around
/// it. C0, DEL, C1 and the line and paragraph separators become spaces. The marks, embeddings, overrides and isolates
/// of writing direction (Unicode's Bidi_Control), the invisible format characters next to them, and combining marks
/// beyond thirty in a row (`streamSafe`) become U+FFFD. Text beyond the limit is cut between two scalars.
public enum SanitizedText {
  /// The default limit for a cleaned name, in bytes of UTF-8.
  public static let longestName = 200

  /// Cleans a name and cuts it to `limit` bytes of UTF-8.
  public static func name(_ text: String, atMost limit: Int = longestName) -> String {
    // Most names are kept as they are, without a copy.
    if text.utf8.count <= limit, text.utf8.withContiguousStorageIfAvailable(isPlain) == true { return text }
    var text = text
    return text.withUTF8 { name($0, atMost: limit) }
  }

  /// Cleans a name and cuts it to `limit` bytes; invalid UTF-8 becomes U+FFFD.
  public static func name(_ bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int = longestName) -> String {
    clean(bytes, atMost: limit, keepsLines: false)
  }

  /// Cleans a text of several lines, such as an exception's message, and cuts it to `limit` bytes. Line ends and tabs
  /// are kept.
  public static func lines(_ bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int) -> String {
    clean(bytes, atMost: limit, keepsLines: true)
  }

  private static func clean(_ bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int, keepsLines: Bool) -> String {
    // Fast path: nearly all names are short, plain ASCII.
    let head = UnsafeBufferPointer(rebasing: bytes.prefix(limit))
    if isPlain(head) { return String(decoding: head, as: UTF8.self) }
    var clean = String.UnicodeScalarView()
    var length = 0
    var run = MarkRun()
    // A scalar's replacement has at least a third of its bytes, so bytes beyond this prefix cannot be needed.
    for scalar in String(decoding: bytes.prefix(3 * limit + 4), as: UTF8.self).unicodeScalars {
      let kept = run.isWithin(scalar) ? replacement(of: scalar, keepsLines) ?? scalar : "\u{FFFD}"
      length += UTF8.width(kept)
      if length > limit { break }
      clean.append(kept)
    }
    return String(clean)
  }

  /// Whether all bytes are printable ASCII. Without an early exit, the compiler checks many bytes at once.
  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var isPlain = true
    for byte in bytes { isPlain = (byte &- 0x20 < 0x5F) && isPlain }
    return isPlain
  }

  /// The replacement of a control or direction character; nil for a scalar that is kept.
  private static func replacement(of scalar: Unicode.Scalar, _ keepsLines: Bool) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x09, 0x0A: keepsLines ? nil : " "
    case 0x00..<0x20, 0x7F...0x9F, 0x2028, 0x2029: " "
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x206F, 0xFEFF, 0xFFF9...0xFFFB,
      0xE0001...0xE007F:
      "\u{FFFD}"
    default: nil
    }
  }
}
