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
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("release", .string(name)),
      ("window", window.json), ("slice", Slice(environment: environment, release: name).json),
      ("digested_through", .integer(digestedThrough)), ("advice", .string(judgement.advice.rawValue)),
      ("previous", .optional(previous)), ("builds", .array(builds.map(\.json))),
      ("budgets", .array(judgement.results.map(\.json))),
      ("trends", .object(judgement.budgets.map { ($0.result.budget, .array($0.trend.map(\.json))) })),
      ("adoption", .array(adoption.map(\.json))),
      ("comparison", comparison.map { .array($0.metrics.map(\.json)) } ?? .null),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// The adoption, one row per day.
  public var table: CSVTable { CSVTable(columns: ["day", "value", "n"], rows: adoption.map(\.json)) }
}
