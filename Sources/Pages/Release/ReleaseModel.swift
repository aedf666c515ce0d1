public import Health
import JSON
public import Storage
public import Telemetry

/// The model of a release's page: lifetime, verdicts, and changes since the previous release.
public struct ReleaseModel: Sendable {
  public var app: String
  /// The requested name: `4.2.0` for all its builds, or `4.2.0 (1234)`.
  public var name: String
  /// The release's lifetime, from its first day to the newest day with data.
  public var window: Window
  public var environment: String
  public var environmentNote: String?
  /// The verdicts on the release over its lifetime, beside those on the release before.
  public var judgement: Judgement
  /// The builds, the highest first.
  public var builds: [ReleaseReport]
  /// The release's share of each day's sessions, or of payloads for apps without sessions; `n` is the number of the
  /// release's own.
  public var adoption: [TrendPoint]
  /// The comparison with the previous release; nil if there is none, or no day has data of both.
  public var comparison: ReleaseComparison?
  /// Why there is no comparison.
  public var comparisonNote: String?
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, name: String, window: Window, environment: String, environmentNote: String? = nil,
    judgement: Judgement, builds: [ReleaseReport],
    adoption: [TrendPoint], comparison: ReleaseComparison? = nil, comparisonNote: String? = nil,
    digestedThrough: Int64 = 0, asOf: Timestamp
  ) {
    self.app = app
    self.name = name
    self.window = window
    self.environment = environment
    self.environmentNote = environmentNote
    self.judgement = judgement
    self.builds = builds
    self.adoption = adoption
    self.comparison = comparison
    self.comparisonNote = comparisonNote
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }

  /// The previous release; nil for the first.
  public var previous: String? { judgement.previous?.release.title }
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
