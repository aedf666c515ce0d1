internal import Telemetry

extension BudgetParser {
  /// `label CartView`, `label "Cart, step 2"`
  mutating func parseLabel() throws(GrammarError) {
    let keyword = cursor
    cursor.advance()
    let words = cursor.takeClause()
    let label = words.map(\.text).joined(separator: " ")
    guard !label.isEmpty else { throw cursor.expected("a label such as CartView") }
    if let metric = Catalogue.metric(named: budget.metric), metric.kind == .ratio || metric.kind == .rate {
      throw keyword.expected("no label for \(metric.name), which has none")
    }
    budget.label = label
  }

  /// `for last 3 releases`, `for last release`
  mutating func parseReleases() throws(GrammarError) {
    cursor.advance()
    try cursor.take(word: "last")
    if let word = cursor.current, word.kind == .word, word.text == "release" {
      cursor.advance()
      budget.lastReleases = 1
      return
    }
    guard let word = cursor.current, word.kind == .word, word.text.utf8.allSatisfy({ (48...57).contains($0) }),
      let count = Int(word.text), (1...Self.mostReleases).contains(count)
    else { throw cursor.expected("1 to \(Self.mostReleases) releases") }
    cursor.advance()
    try cursor.take(word: count == 1 ? "release" : "releases")
    budget.lastReleases = count
  }

  private static let mostReleases = 20

  /// `with adoption > 10 %`
  mutating func parseAdoption() throws(GrammarError) {
    cursor.advance()
    try cursor.take(word: "adoption")
    guard let sign = cursor.current, sign.kind == .comparison, sign.text == ">" else { throw cursor.expected(">") }
    cursor.advance()
    let number = cursor
    let share = try Limit.parse(&cursor, unit: .ratio).value
    guard share < 1 else { throw number.expected("less than 100 %") }
    budget.adoptionAbove = share
  }
}
