/// A measurement string in the style of any language. The unit is before or after the number, with or without a space.
/// Decimal digits may be of any script, with any grouping and with marks of writing direction.
///
/// Devices send only whole numbers. A single comma or point before exactly three last digits therefore separates groups
/// ("2.000 byte"), unless the digits before it cannot be a group ("0.125", "1234.567").
struct LocalisedMeasurement {
  let number: Double
  let unit: String

  /// The longest text that is parsed, in bytes. The longest measurement in any language is far shorter.
  private static let longestText = 100

  /// Parses a measurement; nil without a number, with a second number, or with grouping that fits no style.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count <= Self.longestText else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    // Each scalar is looked up once, because Unicode properties are slow.
    let all = text.unicodeScalars.lazy.filter { !Self.isMark($0) }.map { (scalar: $0, digit: Self.digit($0)) }
    let scalars = Array(all)
    guard let first = scalars.firstIndex(where: { $0.digit != nil }) else { return nil }
    let end = Self.endOfNumber(scalars, from: first)
    let behind = scalars[end...]
    guard !behind.contains(where: { $0.digit != nil }), let magnitude = DecimalText(scalars[first..<end]).value
    else { return nil }
    let (isNegative, before) = Self.sign(scalars[..<first])
    number = isNegative ? -magnitude : magnitude
    unit = Self.unit(before, behind)
  }

  /// A scalar, with its value if it is a decimal digit of any script.
  typealias Element = (scalar: Unicode.Scalar, digit: UInt64?)

  /// Whether the text before a number ends with a minus sign, and the text before that sign.
  private static func sign(_ before: ArraySlice<Element>) -> (isNegative: Bool, ArraySlice<Element>) {
    var rest = before
    while let last = rest.last, DecimalText.isSpace(last.scalar) { rest.removeLast() }
    switch rest.last?.scalar {
    case "+": return (false, rest.dropLast())
    case "-", "\u{2212}", "\u{FE63}", "\u{FF0D}": return (true, rest.dropLast())
    default: return (false, before)
    }
  }

  /// The end of the number. A separator belongs to it only if a digit follows.
  private static func endOfNumber(_ scalars: [Element], from start: Int) -> Int {
    var end = start
    var at = start
    while at < scalars.endIndex {
      if scalars[at].digit != nil {
        at += 1
        end = at
      } else if DecimalText.isSeparator(scalars[at].scalar), at == end {
        at += 1
      } else {
        break
      }
    }
    return end
  }

  private static func unit(_ before: ArraySlice<Element>, _ behind: ArraySlice<Element>) -> String {
    var words = String.UnicodeScalarView()
    for part in [before, behind] {
      for word in part.split(whereSeparator: { DecimalText.isSpace($0.scalar) }) {
        if !words.isEmpty { words.append(" ") }
        words.append(contentsOf: word.lazy.map(\.scalar))
      }
    }
    return String(words)
  }

  /// Whether a scalar is an invisible mark, such as those of writing direction.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200B, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  /// The value of a decimal digit of any script; nil for other scalars.
  static func digit(_ scalar: Unicode.Scalar) -> UInt64? {
    guard scalar.value <= 0xFFFF else { return slowDigit(scalar) }
    let digit = digits[Int(scalar.value)]
    return digit < 10 ? UInt64(digit) : nil
  }

  /// The digit's value, or 255, for each scalar of Unicode's basic plane. Unicode's own tables need a search per
  /// scalar.
  private static let digits: [UInt8] = (UInt32(0)...0xFFFF).map { value in
    Unicode.Scalar(value).flatMap(slowDigit).map { UInt8($0) } ?? .max
  }

  private static func slowDigit(_ scalar: Unicode.Scalar) -> UInt64? {
    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
    return UInt64(value)
  }
}

/// Digits with separators. At most one of them is the decimal separator.
struct DecimalText {
  private var digits: [UInt64] = []
  /// Each separator of the number and the number of digits before it.
  private var separators: [(scalar: Unicode.Scalar, position: Int)] = []

  init(_ scalars: ArraySlice<LocalisedMeasurement.Element>) {
    for (scalar, digit) in scalars {
      if let digit {
        digits.append(digit)
      } else {
        separators.append((Self.folded(scalar), digits.count))
      }
    }
  }

  /// The value of the number; nil if its grouping fits no style.
  var value: Double? {
    let fraction = decimalPosition.map { digits.count - $0 } ?? 0
    let groups = separators.filter { $0.position != decimalPosition }
    guard groups.allSatisfy({ $0.scalar == groups[0].scalar }),
      areGroups(groups.map(\.position), end: digits.count - fraction)
    else { return nil }
    // Up to 2⁵³ and 10²² both sides are exact, so the quotient is the nearest double.
    var mantissa = 0.0
    for digit in digits { mantissa = mantissa * 10 + Double(digit) }
    var scale = 1.0
    for _ in 0..<fraction { scale *= 10 }
    let value = mantissa / scale
    return value.isFinite ? value : nil
  }

  /// The number of digits before the decimal separator; nil without one.
  private var decimalPosition: Int? {
    guard let last = separators.last else { return nil }
    if last.scalar == "\u{066B}" { return last.position }
    guard last.scalar == "." || last.scalar == "," else { return nil }
    if separators.count > 1 {
      // The last separator is decimal if it differs from an earlier one. Equal separators all group digits.
      return separators.contains { $0.scalar != last.scalar } ? last.position : nil
    }
    let couldBeGroups = digits.count - last.position == 3 && last.position <= 3 && digits[0] != 0
    return couldBeGroups ? nil : last.position
  }

  /// Whether separators at these positions form groups of digits: three digits each (1,234,567), or two in all but the
  /// last, as in India (12,34,567).
  private func areGroups(_ positions: [Int], end: Int) -> Bool {
    guard let last = positions.last, let first = positions.first else { return true }
    let sizes = zip(positions, positions.dropFirst()).map { $1 - $0 }
    return (1...3).contains(first) && end - last == 3 && sizes.allSatisfy { (2...3).contains($0) }
  }

  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if isSpace(scalar) { return " " }
    switch scalar {
    case "\u{2019}": return "'"
    case "\u{060C}": return ","
    default: return scalar
    }
  }

  static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ",", ".", "'", "\u{2019}", "\u{060C}", "\u{066B}", "\u{066C}": true
    default: isSpace(scalar)
    }
  }

  /// Whether a scalar is a space, a no-break space, or one of the thin spaces used between groups of digits.
  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20, 0x09, 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
