public import Analysis
public import Core
import Storage

/// The model of the exits page: for which reasons iOS ended the app, in the foreground and in the background.
public struct ExitsModel: Sendable {
  public var app: String
  var window: Window
  var slice: Slice
  var environmentNote: String?
  var exits: ExitReport
  /// Launches and resumes in payloads that count exits; nil if no payload does.
  var launches: Double?
  /// One row for each exit reason, normal exits first.
  public var rows: [ExitRow]
  /// Foreground terminations per 1,000 launches and resumes; nil if no payload counts them.
  var terminations: MetricReport?
  /// The trend of foreground terminations, by day or in longer steps.
  var trend: [TrendPoint] = []
  var releaseMarkers: [ReleaseMarker] = []
  var byRelease: [Breakdown] = []
  var byDeviceClass: [Breakdown] = []
  /// By the values of the app's attribute; empty without one.
  var byAttribute: [Breakdown] = []
  /// The results of budgets on exits.
  var budgets: [BudgetResult] = []
  var digestedThrough: Int64 = 0
  var asOf: Timestamp
}

/// The number of times that iOS ended the app for one reason.
public struct ExitRow: Sendable, Equatable {
  var reason: ExitReason
  /// Exits in the foreground; nil if no payload counts them.
  var foreground: Int?
  var background: Int?
  /// The groups that explain the exits, the likeliest first.
  var groups: [ExitGroup] = []
  /// Foreground exits per 1,000 launches and resumes; nil if those are unknown.
  var foregroundRate: Double?
  var backgroundRate: Double?

  init(
    reason: ExitReason, foreground: Int? = nil, background: Int? = nil, foregroundRate: Double? = nil,
    backgroundRate: Double? = nil
  ) {
    self.reason = reason
    self.foreground = foreground
    self.background = background
    self.foregroundRate = foregroundRate
    self.backgroundRate = backgroundRate
  }
}

extension ExitsModel: TableConvertible {
  public static let fields = Fields<Self>("ExitDetail", "What the page of exits shows.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field.digestedThrough(\.digestedThrough)
    Field("launches", \.launches, "Launches and resumes of the payloads that count exits.")
    Field("reasons", \.rows)
    Field("terminations", \.terminations, "Foreground terminations per 1,000 launches and resumes.")
    Field("trend", \.trend)
    Field("release_markers", \.releaseMarkers, "The first day of each release within the window.")
    Field("by_release", \.byRelease)
    Field("by_device_class", \.byDeviceClass)
    Field("by_attribute", \.byAttribute)
    Field("budgets", \.budgets)
  }

  /// One row per reason.
  public static let table = AnswerTable<Self>(\.rows)
  public static let tables: [DataTable: AnswerTable<Self>] = [
    .parts: .parts { exits in
      [("release", exits.byRelease), ("device_class", exits.byDeviceClass), ("attribute", exits.byAttribute)]
    },
    .trend: AnswerTable(\.trend),
  ]
}

extension ExitRow: APIObject {
  public static let fields = Fields<Self>("ExitReason") {
    Field("reason", \.reason.name)
    Field("foreground", \.foreground)
    Field("background", \.background)
    Field("foreground_rate", \.foregroundRate, "Per 1,000 launches and resumes.")
    Field("background_rate", \.backgroundRate)
    Field("groups", \.groups, "The groups of the same release that explain the exits, the likeliest first.")
    Field(
      "explained_by", { $0.groups.map(\.id).joined(separator: " ") }, "The ids of these groups, with spaces, for CSV.")
  }
}

extension ExitGroup: APIObject {
  public static let fields = Fields<Self> {
    Field("id", \.id)
    Field("title", \.title)
    Field("kind", \.kind)
    Field(
      "report", \.isReport, "Whether its diagnostics are reports of such ends, rather than of what may lead to one.")
    Field("release", \.release, "With the most of its diagnostics, among those in which such exits were counted.")
    Field("diagnostics", \.diagnostics)
    Field("exits", \.exits, "Of the reason in that release, in the foreground and in the background.")
  }
}
