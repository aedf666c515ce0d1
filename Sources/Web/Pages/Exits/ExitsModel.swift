public import Analysis
import Core
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
