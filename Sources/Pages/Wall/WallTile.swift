import Health
import Storage
import Telemetry
import Wording

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
    let verdict = summary.budgetError == nil ? summary.verdict : .warning
    let word = summary.budgetError == nil ? verdict.word : "Not judged"
    judgement = (word, verdict.symbol, verdict.style)
    severity = verdict.severity
    release = summary.mainRelease?.release.title
    adoption = summary.mainRelease?.adoption
    // Of the release that the tile names, where it has sessions.
    let own = summary.mainRelease?.crashFree.estimate ?? .unknown
    crashFree = own.value == nil ? summary.crashFree.estimate : own
    worst = summary.worst
    self.lastReceived = lastReceived
  }
}
