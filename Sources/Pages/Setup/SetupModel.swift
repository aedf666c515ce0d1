import Health
import JSON
public import Telemetry

/// The model of the setup page: whether payloads arrive, and what they contained.
public struct SetupModel: Sendable, Equatable {
  public var app: String
  /// The number of reports in the last 28 days of receipt that are included in the numbers.
  public var accepted: Int
  /// The number of bodies rejected in the same days, by reason.
  public var rejected: [DataQuality.Count]
  /// The number of reports by source: MetricKit, Sentry.
  public var sources: [DataQuality.Count]
  public var lastReceived: Timestamp?
  /// The titles of the metrics that have data, in the catalogue's order.
  public var metrics: [String]
  /// The releases seen, such as `4.2.0 (1234)`, the newest first.
  public var releases: [String]
  public var environments: [String]
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, accepted: Int, rejected: [DataQuality.Count] = [], sources: [DataQuality.Count] = [],
    lastReceived: Timestamp? = nil, metrics: [String] = [], releases: [String] = [], environments: [String] = [],
    digestedThrough: Int64 = 0, asOf: Timestamp
  ) {
    self.app = app
    self.accepted = accepted
    self.rejected = rejected
    self.sources = sources
    self.lastReceived = lastReceived
    self.metrics = metrics
    self.releases = releases
    self.environments = environments
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }

  /// Whether any report was ever received.
  public var hasReceived: Bool { accepted > 0 || !environments.isEmpty }
}

extension SetupModel {
  /// The JSON of the API. It does not include keys.
  public func json() -> [UInt8] {
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
