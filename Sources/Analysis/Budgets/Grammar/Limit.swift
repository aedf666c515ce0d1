import Core

/// The limit of a budget: a number and its unit.
struct Limit {
  /// The number, in `unit`.
  let value: Double
  let unit: MetricUnit

  /// Parses `2 s`, `2s`, `99.5%` or `5`. `unit`: the metric's unit; nil for a metric outside the catalogue, which
  /// accepts any.
  static func parse(_ cursor: inout TokenCursor, unit: MetricUnit?) throws(GrammarError) -> Limit {
    guard let word = cursor.current, word.kind == .word, let number = Number(word.text) else {
      throw cursor.expected("a number")
    }
    let start = cursor
    cursor.advance()
    var symbol = number.rest
    var offset = word.offset + number.text.unicodeScalars.count
    if symbol.isEmpty, let next = cursor.current, next.kind == .word {
      offset = next.offset
      symbol = cursor.takeClause().map(\.text).joined(separator: " ")
    }
    guard let limit = convert(number.value, symbol, into: unit) else {
      let expectation = "\(BudgetUnit.expectation(for: unit)) after \(number.text)"
      let found = symbol.isEmpty ? "no unit" : quoted(symbol)
      throw GrammarError(offset: offset, message: "expected \(expectation), found \(found)")
    }
    if limit.unit == .ratio, limit.value > 1 {
      throw start.expected(symbol.isEmpty ? "a percentage such as 99.5%, or a share from 0 to 1" : "at most 100 %")
    }
    return limit
  }

  private static func convert(_ number: Double, _ symbol: String, into unit: MetricUnit?) -> Limit? {
    guard let unit = unit ?? BudgetUnit.canonical(of: symbol) else { return nil }
    if symbol.isEmpty { return BudgetUnit.mayBeOmitted(unit) ? Limit(value: number, unit: unit) : nil }
    guard let factor = BudgetUnit.factor(of: symbol, into: unit) else { return nil }
    // 99.5 / 100 is 0.995; 99.5 * 0.01 need not be.
    let value = factor < 1 ? number / (1 / factor).rounded() : number * factor.rounded()
    return value.isFinite ? Limit(value: value, unit: unit) : nil
  }
}

/// A decimal number at the start of a word, and the rest of the word.
private struct Number {
  let text: String
  let value: Double
  let rest: String

  init?(_ word: String) {
    let digits = Substring(word.utf8.prefix { (48...57).contains($0) || $0 == UInt8(ascii: ".") })
    guard digits.utf8.count <= 30, digits.utf8.first != UInt8(ascii: "."), digits.utf8.last != UInt8(ascii: "."),
      let value = Double(digits)
    else { return nil }
    let rest = word.utf8.dropFirst(digits.utf8.count)
    guard rest.first != UInt8(ascii: ",") else { return nil }
    text = String(digits)
    self.value = value
    self.rest = String(Substring(rest))
  }
}

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

/// The units that budgets may use: the units of native payloads, and rates.
enum BudgetUnit {
  /// The factor that converts a number with the unit `symbol` to `unit`; nil if they measure different quantities.
  static func factor(of symbol: String, into unit: MetricUnit) -> Double? {
    if let rate = rates[symbol] { return rate.unit == unit ? rate.factor : nil }
    return InputUnit(symbol: symbol)?.factor(into: unit)
  }

  /// The factor that converts between canonical units; nil if they measure different quantities.
  static func factor(from unit: MetricUnit, to other: MetricUnit) -> Double? {
    factor(of: unit.symbol, into: other)
  }

  /// The canonical unit for a metric outside the catalogue; nil for an unknown symbol.
  static func canonical(of symbol: String) -> MetricUnit? {
    symbol.isEmpty ? .count : rates[symbol]?.unit ?? InputUnit(symbol: symbol)?.canonical
  }

  static func mayBeOmitted(_ unit: MetricUnit) -> Bool {
    switch unit {
    case .count, .ratio, .bars, .averagePixelLuminance: true
    default: false
    }
  }

  /// A description of the units that may follow a number, for an error message.
  static func expectation(for unit: MetricUnit?) -> String {
    switch unit {
    case .milliseconds, .microseconds, .seconds: "a unit of time"
    case .bytes: "a unit of size"
    case .ratio, .percent: "%"
    case .count: "no unit, or count,"
    case .none: "a unit such as ms, MB or %"
    case .some(let unit): unit.symbol
    }
  }

  private static let rates: [String: (unit: MetricUnit, factor: Double)] = [
    "s/h": (.secondsPerHour, 1), "s/hour": (.secondsPerHour, 1), "ms/h": (.secondsPerHour, 1e-3),
    "min/h": (.secondsPerHour, 60), "hangs/h": (.hangsPerHour, 1), "hangs/hour": (.hangsPerHour, 1),
    "/h": (.hangsPerHour, 1), "per 1,000": (.perThousand, 1), "per 1000": (.perThousand, 1),
    "/1000": (.perThousand, 1),
  ]
}
