public import Health
import JSON
public import Storage
public import Telemetry

/// The model of the exits page: for which reasons iOS ended the app, in the foreground and in the background.
public struct ExitsModel: Sendable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  public var exits: ExitReport
  /// Launches and resumes in payloads that count exits; nil if no payload does.
  public var launches: Double?
  /// One row for each exit reason, normal exits first.
  public var rows: [ExitRow]
  /// Foreground terminations per 1,000 launches and resumes; nil if no payload counts them.
  public var terminations: MetricReport?
  /// The trend of foreground terminations, by day or in longer steps.
  public var trend: [TrendPoint]
  public var releaseMarkers: [ReleaseMarker]
  public var byRelease: [Breakdown]
  public var byDeviceClass: [Breakdown]
  /// By the values of the app's attribute; empty without one.
  public var byAttribute: [Breakdown]
  /// The results of budgets on exits.
  public var budgets: [BudgetResult]
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, exits: ExitReport,
    launches: Double? = nil, rows: [ExitRow], terminations: MetricReport? = nil, trend: [TrendPoint] = [],
    releaseMarkers: [ReleaseMarker] = [], byRelease: [Breakdown] = [], byDeviceClass: [Breakdown] = [],
    byAttribute: [Breakdown] = [], budgets: [BudgetResult] = [], digestedThrough: Int64 = 0, asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.exits = exits
    self.launches = launches
    self.rows = rows
    self.terminations = terminations
    self.trend = trend
    self.releaseMarkers = releaseMarkers
    self.byRelease = byRelease
    self.byDeviceClass = byDeviceClass
    self.byAttribute = byAttribute
    self.budgets = budgets
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }
}

/// The number of times that iOS ended the app for one reason.
public struct ExitRow: Sendable, Equatable {
  public var reason: ExitReason
  /// Exits in the foreground; nil if no payload counts them.
  public var foreground: Int?
  public var background: Int?
  /// The groups that explain the exits, the likeliest first.
  public var groups: [ExitGroup] = []
  /// Foreground exits per 1,000 launches and resumes; nil if those are unknown.
  public var foregroundRate: Double?
  public var backgroundRate: Double?

  public init(
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
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("launches", .optional(launches)),
      ("reasons", .array(rows.map(\.json))), ("terminations", terminations?.json ?? .null),
      ("trend", .array(trend.map(\.json))), ("release_markers", .array(releaseMarkers.map(\.json))),
      ("by_release", .array(byRelease.map(\.json))), ("by_device_class", .array(byDeviceClass.map(\.json))),
      ("by_attribute", .array(byAttribute.map(\.json))), ("budgets", .array(budgets.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// One row per reason.
  public var table: CSVTable {
    CSVTable(
      columns: ["reason", "foreground", "background", "foreground_rate", "background_rate", "explained_by"],
      rows: rows.map(\.json))
  }

  public func table(_ name: DataTable) -> CSVTable? {
    switch name {
    case .parts: .parts([("release", byRelease), ("device_class", byDeviceClass), ("attribute", byAttribute)])
    case .trend: .trend(trend)
    case .courses, .distribution: nil
    }
  }
}

extension ExitRow {
  var json: JSONOutput {
    .object([
      ("reason", .string(reason.name)), ("foreground", .optional(foreground)), ("background", .optional(background)),
      ("foreground_rate", .optional(foregroundRate)), ("background_rate", .optional(backgroundRate)),
      ("groups", .array(groups.map(\.json))), ("explained_by", .string(groups.map(\.id).joined(separator: " "))),
    ])
  }
}

extension ExitGroup {
  var json: JSONOutput {
    .object([
      ("id", .string(id)), ("title", .string(title)), ("kind", .string(kind.name)), ("report", .bool(isReport)),
      ("release", .string(release)), ("diagnostics", .count(diagnostics)), ("exits", .count(exits)),
    ])
  }
}
