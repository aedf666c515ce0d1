public import Analysis
import Core
import Storage

/// The model of a release's page: lifetime, verdicts, and changes since the previous release.
public struct ReleaseModel: Sendable {
  public var app: String
  /// The requested name: `4.2.0` for all its builds, or `4.2.0 (1234)`.
  var name: String
  /// The release's lifetime, from its first day to the newest day with data.
  var window: Window
  var environment: String
  var environmentNote: String?
  /// The verdicts on the release over its lifetime, beside those on the release before.
  var judgement: Judgement
  /// The builds, the highest first.
  var builds: [ReleaseReport]
  /// The release's share of each day's sessions, or of payloads for apps without sessions; `n` is the number of the
  /// release's own.
  var adoption: [TrendPoint]
  /// The comparison with the previous release; nil if there is none, or no day has data of both.
  var comparison: ReleaseComparison?
  /// Why there is no comparison.
  var comparisonNote: String?
  var digestedThrough: Int64 = 0
  var asOf: Timestamp

  /// The previous release; nil for the first.
  var previous: String? { judgement.previous?.release.title }
}

extension ReleaseModel: TableConvertible {
  static let fields = Fields<Self>("ReleaseDetail", "What a release's page shows.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("release", \.name)
    Field("window", \.window)
    Field("slice", { Slice(environment: $0.environment, release: $0.name) })
    Field.digestedThrough(\.digestedThrough)
    Field("advice", \.judgement.advice)
    Field("previous", \.previous, "The release before.")
    Field("builds", \.builds)
    Field("budgets", \.judgement.results, "Over the release's own life.")
    Field(
      "trends", { NamedValues($0.judgement.budgets.map { ($0.result.budget, $0.trend) }) },
      "The trend over the window, by budget.")
    Field(
      "adoption", \.adoption, "Its share of each day's sessions, of payloads where there are no sessions.")
    Field(
      "comparison", \.comparison?.metrics, "Against the release before; null where there is none, or no common day.")
  }

  /// The adoption, one row per day.
  public static let table = AnswerTable<Self>(\.adoption, only: ["day", "value", "n"])
}
