extension String {
  /// The text for `==`, `<` and dictionaries: of more than thirty combining marks in a row, U+FFFD replaces those after
  /// the thirtieth.
  ///
  /// Swift compares texts as Unicode's canonical equivalence requires, and sorts the marks of a character for it, in time
  /// quadratic in their number. Every text of a client becomes a `String` through here.
  ///
  /// Source: unicode.org/reports/tr15/#Stream_Safe_Text_Format
  @inlinable public var streamSafe: String {
    // Thirty marks take at least sixty bytes.
    utf8.count > 60 ? boundingMarks() : self
  }

  @usableFromInline func boundingMarks() -> String {
    // Marks begin at U+0300, whose first byte is CC.
    guard utf8.contains(where: { $0 >= 0xCC }) else { return self }
    var run = MarkRun()
    if unicodeScalars.allSatisfy({ run.isWithin($0) }) { return self }
    run = MarkRun()
    var safe = String.UnicodeScalarView()
    for scalar in unicodeScalars { safe.append(run.isWithin(scalar) ? scalar : "\u{FFFD}") }
    return String(safe)
  }
}

/// Counts the combining marks in a row.
struct MarkRun {
  /// The most combining marks that may follow one another in a text from outside.
  static let most = 30
  private var count = 0

  /// Whether the scalar, which follows the one before, is no mark or one of the first thirty.
  mutating func isWithin(_ scalar: Unicode.Scalar) -> Bool {
    count = Self.isMark(scalar) ? count + 1 : 0
    return count <= Self.most
  }

  /// Whether a scalar, or the first one that it stands for, is sorted among its neighbours.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x300: false
    // Vowels that stand for two marks each, but are none themselves.
    case 0x0F73, 0x0F75, 0x0F81: true
    default: scalar.properties.canonicalCombiningClass != .notReordered
    }
  }
}
