import Analysis
import Core
import Storage

/// What a wall shows of one app.
struct WallTile: Sendable {
  var app: String
  /// The judgement in one or two words, with the symbol and the CSS class of its colour.
  var judgement: (word: String, symbol: String, style: StaticString)
  /// The judged release and the share of the last day's use that it has.
  var release: String?
  var adoption: Double?
  var crashFree: Estimate
  /// The worst result of another budget; nil without any.
  var worst: BudgetResult?
  var lastReceived: Timestamp?
  /// The sort order: the worst is 0.
  var severity: Int

  init(_ summary: AppSummary, lastReceived: Timestamp?) {
    app = summary.id
    let judged = summary.status?.judgement
    let verdict = summary.budgetError == nil ? summary.verdict : .warning
    let word = summary.budgetError == nil ? judged?.word ?? verdict.word : "Not judged"
    judgement = (word, verdict.symbol, verdict.style)
    severity = verdict.severity
    release = judged?.release?.release.title
    adoption = judged?.release?.adoption
    crashFree = judged?.crashFree?.result.estimate ?? .unknown
    worst = judged?.results.filter { !$0.metric.contains("crash_free") }
      .min { (Optional($0.verdict).severity, -$0.excess) < (Optional($1.verdict).severity, -$1.excess) }
    self.lastReceived = lastReceived
  }
}

extension BudgetResult {
  /// How many times the limit the value is, or the limit the value where higher is better; 0 if unknown.
  fileprivate var excess: Double {
    guard let value, value > 0, target > 0 else { return 0 }
    return direction == .lower ? value / target : target / value
  }
}
