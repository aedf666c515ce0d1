internal import Core

/// The parser of one budget.
///
///     budget  = [ "p" 1…99 | "mean" ] metric ( "<=" | ">=" ) limit { ", " clause }
///     limit   = number [ unit ] | "apple.goal"
///     clause  = "warn at" limit | "on" devices | "on" OS [ "<" | "<=" | ">=" | ">" ] version | "in" environment
///             | "where" attribute ( "=" | "!=" ) value | "label" name | "over" number "d"
///             | "for last" [ number ] ( "release" | "releases" )
///             | "with adoption >" share | "require data"
struct BudgetParser {
  var cursor: TokenCursor
  var budget: Budget
  /// The kinds of clauses read so far; each may occur once.
  var seen: Set<String> = []

  /// The position of the attribute's name; nil in a budget without one.
  var attributeOffset: Int?

  /// Warnings about names that may be misspelt.
  var warnings: [GrammarError] = []

  /// Parses the text of one budget.
  static func parse(_ text: String) throws(GrammarError) -> Budget { try read(text).budget }

  /// Parses the text of one budget. The returned parser also has the warnings and the position of the attribute.
  static func read(_ text: String) throws(GrammarError) -> BudgetParser {
    var parser = BudgetParser(cursor: try TokenCursor(text), text: text)
    try parser.parseLimit()
    while !parser.isAtEnd { try parser.parseClause() }
    return parser
  }

  private init(cursor: TokenCursor, text: String) {
    self.cursor = cursor
    let words = text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(String.init)
    budget = Budget(
      text: words.joined(separator: " "), statistic: .value, metric: "", unit: .count, comparison: .atMost, target: 0)
  }

  private var isAtEnd: Bool { cursor.current == nil }

  private mutating func parseLimit() throws(GrammarError) {
    let start = cursor
    budget.statistic = try parseStatistic()
    let name = cursor.current
    let metric = try MetricNameParser.parse(&cursor)
    budget.metric = metric.name
    if metric.known == nil, let name, name.kind == .word, let unsure = MetricNameParser.warning(about: name) {
      warnings.append(unsure)
    }
    try checkStatistic(of: metric.known, at: start, name: name)
    let sign = cursor.current
    budget.comparison = try parseComparison()
    try checkDirection(of: metric.known, sign: sign)
    if let word = cursor.current, word.text == AppleGoal.word {
      try checkGoal(of: metric.name, word)
      cursor.advance()
      (budget.appleGoal, budget.unit) = (.unknown, metric.known?.unit ?? .count)
      return
    }
    let limit = try Limit.parse(&cursor, unit: metric.known?.unit)
    budget.target = limit.value
    budget.unit = limit.unit
  }

  private mutating func parseStatistic() throws(GrammarError) -> Budget.Statistic {
    guard let word = cursor.current, word.kind == .word else { return .value }
    if word.text == "mean" {
      cursor.advance()
      return .mean
    }
    if let meant = Self.misspelt(word.text) { throw cursor.expected("\(meant) in lower case") }
    let rank = word.text.utf8.dropFirst()
    guard word.text.utf8.first == UInt8(ascii: "p"), !rank.isEmpty,
      rank.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") })
    else { return .value }
    guard rank.count <= 2, let number = Int(word.text.dropFirst()), number >= 1 else {
      throw cursor.expected("a percentile from p1 to p99")
    }
    cursor.advance()
    return .percentile(number)
  }

  /// The correct spelling of a statistic in the wrong letter case: `p90` for `P90`; nil for other words.
  private static func misspelt(_ word: String) -> String? {
    let lower = word.lowercased()
    let isPercentile =
      lower.utf8.count > 1 && lower.utf8.first == UInt8(ascii: "p")
      && lower.utf8.dropFirst().allSatisfy { (48...57).contains($0) }
    return lower != word && (isPercentile || lower == "mean") ? lower : nil
  }

  private mutating func parseComparison() throws(GrammarError) -> Budget.Comparison {
    switch cursor.current?.text {
    case "<=", "≤":
      cursor.advance()
      return .atMost
    case ">=", "≥":
      cursor.advance()
      return .atLeast
    default: throw cursor.expected("<= or >=")
    }
  }

  private func checkStatistic(of metric: Metric?, at start: TokenCursor, name: Token?) throws(GrammarError) {
    guard let metric, let name else { return }
    if metric.kind == .counter {
      throw GrammarError(
        offset: name.offset,
        message: "expected a rate or a percentile; \(metric.name) is a plain count that grows with use")
    }
    if metric.kind == .distribution, budget.statistic == .value {
      throw GrammarError(
        offset: name.offset, message: "expected p1 to p99 or mean before \(metric.name), which is a distribution")
    }
    if metric.kind != .distribution, let statistic = budget.statistic.name, let token = start.current {
      throw GrammarError(
        offset: token.offset, message: "expected no \(statistic) before \(metric.name), which is a single number")
    }
  }

  /// Refuses Apple's goal where Apple has none.
  private func checkGoal(of metric: String, _ word: Token) throws(GrammarError) {
    guard AppStoreFigure.Key.measured.contains(metric) else {
      let known = AppStoreFigure.Key.measured.sorted().joined(separator: ", ")
      throw GrammarError(
        offset: word.offset, message: "expected a number; Apple has goals only for \(known), not for \(metric)")
    }
    guard budget.comparison == .atMost else {
      throw GrammarError(offset: word.offset, message: "expected <= before apple.goal, which is an upper limit")
    }
    guard [.value, .percentile(50), .percentile(90)].contains(budget.statistic) else {
      throw GrammarError(offset: word.offset, message: "expected p50 or p90 with apple.goal, the percentiles of Apple")
    }
  }

  /// Refuses a budget whose direction is opposite to the metric's, because it would pass if the metric is bad.
  private func checkDirection(of metric: Metric?, sign: Token?) throws(GrammarError) {
    guard let metric, let sign, metric.budget != nil, metric.direction != budget.comparison.direction else { return }
    let right = metric.direction == .lower ? Budget.Comparison.atMost : .atLeast
    let reason = "\(metric.direction.rawValue) is better for \(metric.name)"
    throw GrammarError(
      offset: sign.offset, message: "expected \(right.rawValue), found \"\(sign.text)\": \(reason)")
  }
}
