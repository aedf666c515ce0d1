import Analysis
public import Core

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

extension SetupModel: APIObject {
  public static let fields = Fields<Self>(
    "Setup", "Whether payloads arrive, and what was understood of them. Keys are no part of it."
  ) {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("received", \.hasReceived, "Something that counts arrived at some time.")
    Field.digestedThrough(\.digestedThrough)
    Field("accepted", \.accepted)
    Field("last_received", \.lastReceived)
    Field("by_source", \.sources, each: DataQuality.Count.fields(of: "source"))
    Field("rejected", \.rejected, each: DataQuality.Count.fields(of: "reason"))
    Field("metrics", \.metrics)
    Field("releases", \.releases)
    Field("environments", \.environments)
  }
}
