/// The one rule for texts from outside that people read as names: versions, builds, devices, systems, labels, metrics,
/// environments, clients, reasons, functions, binaries.
///
/// A name neither begins a line of a log, nor colours or moves a terminal, nor turns the text around it: C0, DEL, C1 and the
/// line and paragraph separators become spaces; the marks, embeddings, overrides and isolates of writing direction
/// (Unicode's Bidi_Control) and the invisible format characters next to them become U+FFFD. What is longer than it may be
/// is cut between two scalars.
public enum CleanText {
  /// The most bytes of UTF-8 that a name keeps.
  public static let longestName = 200

  /// A name of at most so many bytes of UTF-8.
  public static func name(_ text: String, atMost limit: Int = longestName) -> String {
    var text = text
    return text.withUTF8 { name($0, atMost: limit) }
  }

  /// A name of at most so many bytes; bytes that are not UTF-8 become U+FFFD.
  public static func name(_ bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int = longestName) -> String {
    clean(bytes, atMost: limit, keepsLines: false)
  }

  /// A text of several lines, such as an exception's message: line ends and tabs stay.
  public static func lines(_ bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int) -> String {
    clean(bytes, atMost: limit, keepsLines: true)
  }

  private static func clean(_ bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int, keepsLines: Bool) -> String {
    // Nearly all names are short and plain ASCII.
    let head = bytes.prefix(limit)
    if head.allSatisfy({ $0 &- 0x20 < 0x5F }) { return String(decoding: head, as: UTF8.self) }
    var clean = String.UnicodeScalarView()
    var length = 0
    // A replacement may be longer than what it replaces, never shorter than a third: no more of the text can be needed.
    for scalar in String(decoding: bytes.prefix(3 * limit + 4), as: UTF8.self).unicodeScalars {
      let kept = replacement(of: scalar, keepsLines) ?? scalar
      length += UTF8.width(kept)
      if length > limit { break }
      clean.append(kept)
    }
    return String(clean)
  }

  /// What stands in the place of a control; nil for a scalar that may stay.
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
