import Analysis
import Core

/// The model of the setup page: whether payloads arrive, and what they contained.
public struct SetupModel: Sendable, Equatable {
  var app: String
  /// The number of reports in the last 28 days of receipt that are included in the numbers.
  var accepted: Int
  /// The number of bodies rejected in the same days, by reason.
  var rejected: [DataQuality.Count] = []
  /// The number of reports by source: MetricKit, Sentry.
  var sources: [DataQuality.Count] = []
  var lastReceived: Timestamp?
  /// The titles of the metrics that have data, in the catalogue's order.
  var metrics: [String] = []
  /// The releases seen, such as `4.2.0 (1234)`, the newest first.
  var releases: [String] = []
  var environments: [String] = []
  var digestedThrough: Int64 = 0
  var asOf: Timestamp

  /// Whether any report was ever received.
  var hasReceived: Bool { accepted > 0 || !environments.isEmpty }
}

extension SetupModel {
  /// The JSON of the API. It does not include keys.
  func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("received", .bool(hasReceived)),
      ("digested_through", .integer(digestedThrough)), ("accepted", .count(accepted)),
      ("last_received", .optional(lastReceived?.iso)), ("by_source", .array(sources.map { $0.json("source") })),
      ("rejected", .array(rejected.map { $0.json("reason") })), ("metrics", .array(metrics.map(JSONOutput.string))),
      ("releases", .array(releases.map(JSONOutput.string))),
      ("environments", .array(environments.map(JSONOutput.string))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}
