import Core

/// Formats limits so that parsing the text returns the same number.
enum LimitText {
  /// The text of a limit: `2 s` for 2,000 ms, `99.5 %` for 0.995. `isCustom`: true for a metric outside the catalogue.
  /// Its unit is derived from the text, so the text must use the unit itself.
  static func text(of value: Double, _ unit: MetricUnit, isCustom: Bool = false) -> String {
    for symbol in symbols[unit] ?? [unit.symbol] {
      guard let factor = BudgetUnit.factor(of: symbol, into: unit) else { continue }
      let scaled = factor < 1 ? value * (1 / factor).rounded() : value / factor
      guard scaled >= 1 || symbol == unit.symbol || unit == .ratio else { continue }
      let text = "\(decimal(rounded(scaled))) \(symbol)"
      if reads(text, as: value, unit, isCustom ? nil : unit) { return text }
    }
    return BudgetUnit.mayBeOmitted(unit) ? decimal(value) : "\(decimal(value)) \(unit.symbol)"
  }

  /// The unit symbols for each canonical unit, largest first. Units that are not listed use their own symbol.
  private static let symbols: [MetricUnit: [String]] = [
    .milliseconds: ["min", "s", "ms", "µs"], .seconds: ["h", "min", "s"], .microseconds: ["s", "ms", "µs"],
    .bytes: ["GB", "MB", "KB", "B"], .ratio: ["%"], .count: [],
  ]

  private static func reads(_ text: String, as value: Double, _ unit: MetricUnit, _ known: MetricUnit?) -> Bool {
    guard var cursor = try? TokenCursor(text), let limit = try? Limit.parse(&cursor, unit: known) else { return false }
    return limit.value == value && limit.unit == unit
  }

  /// Removes floating-point noise: 99.5 for 99.50000000000001.
  private static func rounded(_ value: Double) -> Double {
    let scaled = (value * 1e9).rounded() / 1e9
    return abs(scaled - value) <= value.ulp * 4 ? scaled : value
  }

  /// The number without an exponent, because the grammar has no exponents.
  private static func decimal(_ value: Double) -> String {
    let text = value.description
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "e")) else {
      return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(text.dropLast(2)) : text
    }
    let digits = text[..<mark].filter { $0 != "." }
    let exponent = Int(text[text.index(after: mark)...]) ?? 0
    let decimals = text[..<mark].utf8.contains(UInt8(ascii: ".")) ? digits.utf8.count - 1 : 0
    if exponent < 0 { return "0." + String(repeating: "0", count: -exponent - 1) + digits }
    return digits + String(repeating: "0", count: max(0, exponent - decimals))
  }
}
