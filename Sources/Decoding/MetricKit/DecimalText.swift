/// Digits with separators, of which at most one is the decimal one.
struct DecimalText {
  private var digits: [UInt64] = []
  /// Each separator, with the number of digits before it.
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

  /// The number; nil when its groups fit no style.
  var value: Double? {
    let fraction = decimalPosition.map { digits.count - $0 } ?? 0
    let groups = separators.filter { $0.position != decimalPosition }
    guard groups.allSatisfy({ $0.scalar == groups[0].scalar }),
      areGroups(groups.map(\.position), end: digits.count - fraction)
    else { return nil }
    // Up to 2⁵³ and 10²² both sides are exact, and the quotient is the nearest double.
    var mantissa = 0.0
    for digit in digits { mantissa = mantissa * 10 + Double(digit) }
    var scale = 1.0
    for _ in 0..<fraction { scale *= 10 }
    let value = mantissa / scale
    return value.isFinite ? value : nil
  }

  /// How many digits stand before the decimal separator; nil when there is none.
  private var decimalPosition: Int? {
    guard let last = separators.last else { return nil }
    if last.scalar == "\u{066B}" { return last.position }
    guard last.scalar == "." || last.scalar == "," else { return nil }
    if separators.count > 1 {
      // A second kind behind groups of the first is the decimal one; one kind throughout is all groups.
      return separators.contains { $0.scalar != last.scalar } ? last.position : nil
    }
    let couldBeGroups = digits.count - last.position == 3 && last.position <= 3 && digits[0] != 0
    return couldBeGroups ? nil : last.position
  }

  /// Groups of three, or of two before the last three as in India.
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

  /// Space, no-break space, and the thin ones that stand between groups of digits.
  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20, 0x09, 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
