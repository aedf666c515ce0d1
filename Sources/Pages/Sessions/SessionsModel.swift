public import Health
import JSON
public import Storage
public import Telemetry

/// The model of the page about sessions and users.
public struct SessionsModel: Sendable {
  public var app: String
  public var window: Window
  public var slice: Slice
  public var environmentNote: String?
  public var sessions: SessionReport
  public var users: UserReport
  /// Every day of the window; of a long window, several days together.
  public var days: [SessionDay]
  /// First day of each release in the window, oldest first.
  public var releaseMarkers: [ReleaseMarker]
  /// The result of the first budget on crash-free sessions; nil without one.
  public var budget: BudgetResult?
  /// Crash-free sessions by release.
  public var byRelease: [Breakdown]
  public var byDeviceClass: [Breakdown]
  public var bySystem: [Breakdown]
  /// By the values of the app's attribute; empty without one.
  public var byAttribute: [Breakdown]
  public var burn: BurnReport
  public var digestedThrough: Int64
  public var asOf: Timestamp

  public init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, sessions: SessionReport,
    users: UserReport, days: [SessionDay], releaseMarkers: [ReleaseMarker] = [], budget: BudgetResult? = nil,
    byRelease: [Breakdown] = [], byDeviceClass: [Breakdown] = [], bySystem: [Breakdown] = [],
    byAttribute: [Breakdown] = [], burn: BurnReport = .init(), digestedThrough: Int64 = 0, asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.sessions = sessions
    self.users = users
    self.days = days
    self.releaseMarkers = releaseMarkers
    self.budget = budget
    self.byRelease = byRelease
    self.byDeviceClass = byDeviceClass
    self.bySystem = bySystem
    self.byAttribute = byAttribute
    self.burn = burn
    self.digestedThrough = digestedThrough
    self.asOf = asOf
  }
}

/// The sessions that started on a day, or on several days together. Days without sessions are included.
public struct SessionDay: Sendable, Equatable {
  /// The day, or the first of the consecutive days that are added up.
  public var day: CalendarDay
  /// The number of days.
  public var days: Int
  public var sessions: SessionReport
  public var users: UserReport

  public init(day: CalendarDay, days: Int = 1, sessions: SessionReport = .init(), users: UserReport = .init()) {
    self.day = day
    self.days = days
    self.sessions = sessions
    self.users = users
  }
}

extension SessionsModel: TableConvertible {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("sessions", sessions.json), ("users", users.json),
      ("days", .array(days.map(\.json))), ("release_markers", .array(releaseMarkers.map(\.json))),
      ("by_release", .array(byRelease.map(\.json))), ("by_device_class", .array(byDeviceClass.map(\.json))),
      ("by_os", .array(bySystem.map(\.json))), ("by_attribute", .array(byAttribute.map(\.json))), ("burn", burn.json),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// One row per day, or per step of several days.
  public var table: CSVTable {
    let outcomes = SessionOutcome.allCases.map { "sessions.\($0.name)" }
    let shares = ["value", "low", "high", "n"]
    let columns =
      ["day", "days", "sessions.total"] + outcomes + shares.map { "sessions.crash_free.\($0)" } + [
        "users.total", "users.crashed",
      ]
    return CSVTable(columns: columns, rows: days.map(\.json))
  }

  public func table(_ name: DataTable) -> CSVTable? {
    let parts: CSVTable.Parts = [
      ("release", byRelease), ("device_class", byDeviceClass), ("os", bySystem), ("attribute", byAttribute),
    ]
    return switch name {
    case .parts: .parts(parts)
    case .courses: .courses(parts)
    case .trend, .distribution: nil
    }
  }
}

extension SessionDay {
  var json: JSONOutput {
    .object([("day", .string(day.iso)), ("days", .count(days)), ("sessions", sessions.json), ("users", users.json)])
  }
}
