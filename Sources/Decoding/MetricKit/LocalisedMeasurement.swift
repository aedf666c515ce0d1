/// A measurement in any language's style: unit before or behind the number or against it, any script's decimal digits,
/// any grouping, marks of writing direction.
///
/// All values on the wire are whole numbers, so one comma or point before exactly three last digits is grouping
/// ("2.000 byte"), unless the digits before it cannot be a group ("0.125", "1234.567").
struct LocalisedMeasurement {
  let number: Double
  let unit: String

  /// The longest measurement in any language is far shorter.
  private static let longestText = 200

  /// Nil when there is no number, a second one, or one that no style explains.
  init?(_ text: String) {
    guard text.utf8.count <= Self.longestText else { return nil }
    let scalars = text.unicodeScalars.filter { !Self.isMark($0) }
    guard let first = scalars.firstIndex(where: { Self.digit($0) != nil }) else { return nil }
    let end = Self.endOfNumber(scalars, from: first)
    let behind = scalars[end...]
    guard !behind.contains(where: { Self.digit($0) != nil }), let magnitude = DecimalText(scalars[first..<end]).value
    else { return nil }
    let (isNegative, before) = Self.sign(scalars[..<first])
    number = isNegative ? -magnitude : magnitude
    unit = Self.unit(before, behind)
  }

  /// Whether a minus ends the text before a number, and what stands before the sign.
  private static func sign(_ before: Substring.UnicodeScalarView) -> (isNegative: Bool, Substring.UnicodeScalarView) {
    var rest = before
    while let last = rest.last, DecimalText.isSpace(last) { rest.removeLast() }
    switch rest.last {
    case "+": return (false, rest.dropLast())
    case "-", "\u{2212}", "\u{FE63}", "\u{FF0D}": return (true, rest.dropLast())
    default: return (false, before)
    }
  }

  /// Separators belong to the number only when a digit follows.
  private static func endOfNumber(_ scalars: String.UnicodeScalarView, from start: String.Index) -> String.Index {
    var end = start
    var at = start
    while at < scalars.endIndex {
      if digit(scalars[at]) != nil {
        at = scalars.index(after: at)
        end = at
      } else if DecimalText.isSeparator(scalars[at]), at == end {
        at = scalars.index(after: at)
      } else {
        break
      }
    }
    return end
  }

  private static func unit(_ before: Substring.UnicodeScalarView, _ behind: Substring.UnicodeScalarView) -> String {
    var words: [String] = []
    for part in [before, behind] {
      for word in part.split(whereSeparator: DecimalText.isSpace) { words.append(String(word)) }
    }
    return words.joined(separator: " ")
  }

  /// Marks that only steer the direction of writing.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200B, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  static func digit(_ scalar: Unicode.Scalar) -> UInt64? {
    if scalar.isASCII { return (48...57).contains(scalar.value) ? UInt64(scalar.value - 48) : nil }
    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
    return UInt64(value)
  }
}
