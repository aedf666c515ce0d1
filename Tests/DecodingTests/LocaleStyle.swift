/// How one locale writes measurements: its digits, their groups, its words for units and where they stand.
struct LocaleStyle: CustomStringConvertible, Sendable {
  /// A unit of the table's columns.
  enum Unit: Int, CaseIterable {
    case second, millisecond, byte, kilobyte, megabyte, gigabyte

    /// Milliseconds or bytes in one of it.
    var size: Double { [1000, 1, 1, 1e3, 1e6, 1e9][rawValue] }
    var isDuration: Bool { rawValue < 2 }
  }

  /// Its name: `de-CH`.
  let description: String
  /// 1234567.89 as the table has it.
  let example: String
  let zero: UInt32
  let grouping: Unicode.Scalar
  let decimal: Unicode.Scalar
  /// 12,34,567 instead of 1,234,567.
  let isIndian: Bool
  /// For each unit what stands for one and for many, with `#` for the number.
  private let patterns: [[String]]

  static let all = table.split(separator: "\n").compactMap { LocaleStyle(row: String($0)) }

  init?(row: String) {
    let cells = Self.visible(row).split(separator: "|").map(String.init)
    guard cells.count == 2 + Unit.allCases.count else { return nil }
    let scalars = Array(cells[1].unicodeScalars)
    let separators = scalars.indices.filter { scalars[$0].properties.numericType != .decimal }
    guard let first = separators.first, let last = separators.last else { return nil }
    description = cells[0]
    example = cells[1]
    zero = scalars[0].value - 1
    grouping = scalars[first]
    decimal = scalars[last]
    isIndian = first == 2
    patterns = cells.dropFirst(2).map { $0.split(separator: "/").map(String.init) }
  }

  /// The word around `#`, for one or for many.
  func pattern(_ unit: Unit, isOne: Bool) -> String {
    let forms = patterns[unit.rawValue]
    return isOne ? forms[0] : forms[forms.count - 1]
  }

  func text(_ value: Int, _ unit: Unit, isGrouped: Bool = true) -> String {
    text(value, pattern(unit, isOne: value == 1), isGrouped: isGrouped)
  }

  func text(_ value: Int, _ pattern: String, isGrouped: Bool = true) -> String {
    pattern.replacing("#", with: number(value, isGrouped: isGrouped))
  }

  /// A whole number in its digits and groups.
  func number(_ value: Int, isGrouped: Bool = true) -> String {
    var scalars: [Unicode.Scalar] = []
    for (position, digit) in String(value).utf8.reversed().enumerated() {
      let isBoundary = isIndian && position > 3 ? (position - 3) % 2 == 0 : position > 0 && position % 3 == 0
      if isGrouped, isBoundary { scalars.append(grouping) }
      if let scalar = Unicode.Scalar(zero + UInt32(digit - 48)) { scalars.append(scalar) }
    }
    return Self.string(scalars.reversed())
  }

  static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  private static func visible(_ row: String) -> String {
    string(
      row.unicodeScalars.map {
        switch $0 {
        case "_": "\u{A0}"
        case "~": "\u{202F}"
        case ">": "\u{200F}"
        default: $0
        }
      })
  }
}
