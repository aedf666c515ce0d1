public import Analysis
public import Core
public import Storage

/// The page about the outcomes of everything that an app's clients sent.
public enum DataQualityPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/data-quality"
  public static let navigationTitle: String? = "Data quality"
  public static let filters = FilterPart.window
  public static let endpoints = [
    endpoint(
      .init("getDataQuality", "What happened to everything that was sent", "CSV has one row per client."),
      isJudged: false)
  ]

  public static func load(_ question: AppQuestion) throws -> DataQuality? {
    try question.health.dataQuality(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: DataQuality, _ context: PageContext) -> [UInt8] {
    DataQualityView.render(model, context)
  }

}

extension Page {
  public static func dataQuality(app: String) -> Page { Page(DataQualityPage.self, [app]) }
}

extension HealthReader {
  /// Reads the model for a window of receipt; by default the 28 days that end today.
  package func dataQuality(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> DataQuality {
    let scope = try scope(of: app, query, now: now)
    let to = query.to ?? scope.localNow.day()
    let window = Window(from: query.from ?? to - (Scope.defaultDays - 1), to: to)
    let summary = try tallySummary(of: app, in: window)
    return DataQuality(
      app: app.bundleID, window: window, digestedThrough: scope.inventory.digestedThrough,
      lastReceived: scope.inventory.lastReceived, counts: summary.counts.mapValues { $0.map(DataQuality.Count.init) },
      clients: summary.clients.map(DataQuality.ClientCounts.init))
  }
}

extension DataQuality.Count {
  fileprivate init(_ count: TallySummary.Count) {
    self.init(reason: count.reason, count: count.count, lastDetail: count.lastDetail, lastDay: count.lastDay)
  }
}

extension DataQuality.ClientCounts {
  fileprivate init(_ client: TallySummary.Client) {
    self.init(
      client: client.client, release: client.release, accepted: client.counts[.accepted] ?? 0,
      rejected: client.counts[.rejected] ?? 0, refused: client.counts[.limited] ?? 0,
      duplicates: client.counts[.duplicate] ?? 0, late: client.counts[.late] ?? 0)
  }
}

/// The model of the data quality page: what happened to everything that an app's clients sent.
public struct DataQuality: Sendable, Equatable {
  public var app: String
  /// The days of receipt, in the app's time zone.
  var window: Window
  var digestedThrough: Int64
  var lastReceived: Timestamp?
  /// The number of reports that are included in the numbers.
  var accepted: Int { total(.accepted) }
  /// The number of requests with a known key that did not become reports: rejected, refused, repeated or empty.
  var turnedAway: Int {
    [TallyKind.rejected, .limited, .duplicate, .empty].reduce(0) { $0.saturatingAdd(total($1)) }
  }
  var received: Int { accepted.saturatingAdd(turnedAway) }
  /// Counts by kind and reason, largest first.
  public var counts: [TallyKind: [Count]]
  /// Counts by client program and release, largest first.
  var clients: [ClientCounts]

  /// The number of events with one reason, and the last of them.
  public struct Count: Sendable, Equatable {
    var reason: String
    var count: Int
    /// The key path of the last occurrence, or what was wrong with it; may be empty.
    var lastDetail: String
    var lastDay: CalendarDay
  }

  /// The counts of requests from one client program and release.
  struct ClientCounts: Sendable, Equatable {
    /// The program's name in the User-Agent; empty without one.
    var client: String
    /// The release; empty for requests that were refused before it was known.
    var release: String
    var accepted = 0
    var rejected = 0
    var refused = 0
    var duplicates = 0
    var late = 0

  }

  /// The sum of all counts of one kind.
  func total(_ kind: TallyKind) -> Int { (counts[kind] ?? []).reduce(0) { $0.saturatingAdd($1.count) } }

  /// The count of one kind and reason.
  func count(_ kind: TallyKind, _ reason: String) -> Int {
    (counts[kind] ?? []).first { $0.reason == reason }?.count ?? 0
  }
}

extension DataQuality: TableConvertible {
  public static let fields = Fields<Self>("DataQuality", "What happened to everything that was sent.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window, "Days of receipt.")
    Field.digestedThrough(\.digestedThrough)
    Field("last_received", \.lastReceived)
    Field("received", \.received)
    Field("accepted", \.accepted)
    list("by_source", .accepted, of: "source")
    Field("empty", { $0.total(.empty) }, "Valid requests that contained nothing to store.")
    Field("duplicates", { $0.total(.duplicate) })
    Field("reused_keys", { $0.count(.duplicate, reusedKey) })
    Field("suspected_duplicates", { $0.total(.suspectedDuplicate) })
    list("repeated_diagnostics", .repeatedDiagnostic, of: "kind")
    list("rejected", .rejected, of: "reason")
    Field(
      "set_aside", { $0.total(.quarantined) },
      "Quarantined records and rows: damaged, lost, not storable, or the cause of a server crash.")
    list("refused", .limited, of: "reason")
    list("rejected_parts", .rejectedPart, of: "reason")
    list("skipped_items", .skipped, of: "type")
    Field("rejected_samples", { $0.total(.rejectedSample) })
    list("late", .late, of: "age")
    Field("late_sessions", { $0.total(.lateSession) })
    Field("simulated", { $0.count(.setApart, "simulated") })
    Field("sessions_without_user", { $0.count(.setApart, IntakeTally.withoutUser) })
    Field("mixed_releases", { $0.count(.setApart, "several releases") })
    Field("unknown_units", { $0.count(.guessed, "unknown unit") })
    Field("assumed_times", { $0.count(.guessed, "missing time") })
    list("other", .capped, of: "kind")
    list("lost_by_client", .lostByClient, of: "reason")
    Field("clients", \.clients)
  }

  /// The counts by client program.
  public static let table = AnswerTable<Self>(\.clients)

  /// The reason that counts idempotency keys reused with different content.
  static let reusedKey = "idempotency key, other content"

  private static func list(_ name: String, _ kind: TallyKind, of what: String) -> Field<Self> {
    Field(name, { $0.counts[kind] ?? [] }, each: Count.fields(of: what))
  }
}

extension DataQuality.Count {
  /// The members of a count. `what`: the name of the member with the reason.
  static func fields(of what: String) -> Fields<Self> {
    Fields {
      Field(what, \.reason)
      Field("count", \.count)
      Field("last_day", \.lastDay)
      Field("last_example") { $0.lastDetail.isEmpty ? nil : $0.lastDetail }
    }
  }
}

extension DataQuality.ClientCounts: APIObject {
  public static let fields = Fields<Self> {
    Field("client") { $0.client.isEmpty ? nil : $0.client }
    Field("release") { $0.release.isEmpty ? nil : $0.release }
    Field("accepted", \.accepted)
    Field("rejected", \.rejected)
    Field("refused", \.refused)
    Field("duplicates", \.duplicates)
    Field("late", \.late)
  }
}
