internal import Core

extension BudgetParser {
  /// Reads a comma and the clause after it.
  mutating func parseClause() throws(GrammarError) {
    guard cursor.take(.comma) != nil else { throw cursor.expected("a comma or the end of the line") }
    guard let keyword = cursor.current, keyword.kind == .word else { throw cursor.expected(Self.clauses) }
    guard keyword.text == "on" || seen.insert(keyword.text).inserted else { throw cursor.expected("each clause once") }
    switch keyword.text {
    case "warn": try parseWarning()
    case "on": try parseTarget()
    case "in": try parseEnvironment()
    case "label": try parseLabel()
    case "where": try parseAttribute()
    case "over": try parseDays()
    case "for": try parseReleases()
    case "with": try parseAdoption()
    case "require":
      cursor.advance()
      try cursor.take(word: "data")
      budget.requiresData = true
    default: throw cursor.expected(Self.clauses)
    }
  }

  private static let clauses =
    "\"warn at\", \"on\", \"in\", \"where\", \"label\", \"over\", \"for last\", \"with adoption\" or \"require data\""

  private mutating func parseWarning() throws(GrammarError) {
    guard budget.appleGoal == nil else { throw cursor.expected("no warning level with apple.goal") }
    cursor.advance()
    try cursor.take(word: "at")
    let number = cursor.current
    let level = try Limit.parse(&cursor, unit: budget.unit).value
    let isBefore = budget.comparison == .atMost ? level < budget.target : level > budget.target
    guard isBefore else {
      let side = budget.comparison == .atMost ? "below" : "above"
      throw GrammarError(
        offset: number?.offset ?? 0, message: "expected a warning level \(side) the budget's limit")
    }
    budget.warnTarget = level
  }

  private mutating func parseEnvironment() throws(GrammarError) {
    cursor.advance()
    let isName = { (text: String) in
      !text.isEmpty
        && text.utf8.allSatisfy {
          (48...57).contains($0) || (97...122).contains($0 | 0x20) || "._-".utf8.contains($0)
        }
    }
    guard let word = cursor.current, word.kind == .quoted || (word.kind == .word && isName(word.text)) else {
      throw cursor.expected("an environment such as production")
    }
    cursor.advance()
    budget.environment = word.text
  }

  private mutating func parseDays() throws(GrammarError) {
    cursor.advance()
    let start = cursor
    let text = cursor.takeClause().map(\.text).joined(separator: " ")
    let digits = text.utf8.prefix { (48...57).contains($0) }
    let unit = text.dropFirst(digits.count)
    guard let days = Int(Substring(digits)), unit == "d" || unit == " d" else {
      throw start.expected("a number of days such as 7 d")
    }
    guard (1...400).contains(days) else { throw start.expected("1 to 400 days") }
    budget.days = days
  }
}

extension BudgetParser {
  /// Parses `label CartView` or `label "Cart, step 2"`.
  mutating func parseLabel() throws(GrammarError) {
    let keyword = cursor
    cursor.advance()
    let words = cursor.takeClause()
    let label = words.map(\.text).joined(separator: " ")
    guard !label.isEmpty else { throw cursor.expected("a label such as CartView") }
    if let metric = Catalogue.metric(named: budget.metric), metric.kind == .ratio || metric.kind == .rate {
      throw keyword.expected("no label for \(metric.name), which has no labels")
    }
    budget.label = label
  }

  /// Parses `where experiment = new-cart` or `where region != DE`.
  mutating func parseAttribute() throws(GrammarError) {
    cursor.advance()
    guard let word = cursor.current, word.kind == .word else { throw cursor.expected(Self.attributeName) }
    let start = cursor
    cursor.advance()
    var (name, isExcluding) = (word.text, false)
    if name.utf8.last == UInt8(ascii: "!") {
      (name, isExcluding) = (String(name.dropLast()), true)
    } else if let mark = cursor.current, mark.kind == .word, mark.text == "!" {
      isExcluding = true
      cursor.advance()
    }
    guard AppAttribute.isName(name) else { throw start.expected(Self.attributeName) }
    guard let sign = cursor.current, sign.kind == .comparison, sign.text == "=" else {
      throw cursor.expected("= or != and a value")
    }
    cursor.advance()
    let value = cursor
    let text = cursor.takeClause().map(\.text).joined(separator: " ")
    guard !text.isEmpty, text.utf8.count <= AppAttribute.longestValue else {
      throw value.expected("a value such as new-cart, of at most \(AppAttribute.longestValue) bytes")
    }
    budget.attribute = AttributeFilter(name: name, value: text, isExcluding: isExcluding)
    attributeOffset = word.offset
  }

  private static let attributeName = "the name of the app's attribute, such as experiment"

  /// Parses `for last 3 releases` or `for last release`.
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

  /// Parses `with adoption > 10 %`.
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
