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
