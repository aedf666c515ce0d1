/// A measurement in any language's style: unit before or behind the number or against it, any script's decimal digits,
/// any grouping, marks of writing direction.
///
/// All values on the wire are whole numbers, so one comma or point before exactly three last digits is grouping
/// ("2.000 byte"), unless the digits before it cannot be a group ("0.125", "1234.567").
struct LocalisedMeasurement {
  let number: Double
  let unit: String

  /// In bytes; the longest measurement in any language is far shorter.
  private static let longestText = 100

  /// Nil when there is no number, a second one, or one that no style explains.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count <= Self.longestText else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    // Each scalar is looked up once: what Unicode knows of it is found slowly.
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

  /// A scalar, and its value if it is a decimal digit of some script.
  typealias Element = (scalar: Unicode.Scalar, digit: UInt64?)

  /// Whether a minus ends the text before a number, and what stands before the sign.
  private static func sign(_ before: ArraySlice<Element>) -> (isNegative: Bool, ArraySlice<Element>) {
    var rest = before
    while let last = rest.last, DecimalText.isSpace(last.scalar) { rest.removeLast() }
    switch rest.last?.scalar {
    case "+": return (false, rest.dropLast())
    case "-", "\u{2212}", "\u{FE63}", "\u{FF0D}": return (true, rest.dropLast())
    default: return (false, before)
    }
  }

  /// Separators belong to the number only when a digit follows.
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

  /// Marks that only steer the direction of writing.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200B, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  /// The value of a decimal digit of any script.
  static func digit(_ scalar: Unicode.Scalar) -> UInt64? {
    guard scalar.value <= 0xFFFF else { return slowDigit(scalar) }
    let digit = digits[Int(scalar.value)]
    return digit < 10 ? UInt64(digit) : nil
  }

  /// For each scalar of the basic plane its value, or 255. Asking Unicode's tables takes a search for each.
  private static let digits: [UInt8] = (UInt32(0)...0xFFFF).map { value in
    Unicode.Scalar(value).flatMap(slowDigit).map { UInt8($0) } ?? .max
  }

  private static func slowDigit(_ scalar: Unicode.Scalar) -> UInt64? {
    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
    return UInt64(value)
  }
}
