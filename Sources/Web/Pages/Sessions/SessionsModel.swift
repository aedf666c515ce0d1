public import Analysis
import Core
import Storage

/// The model of the page about sessions and users.
public struct SessionsModel: Sendable {
  public var app: String
  var window: Window
  var slice: Slice
  var environmentNote: String?
  public var sessions: SessionReport
  public var users: UserReport
  /// Every day of the window; of a long window, several days together.
  var days: [SessionDay]
  /// First day of each release in the window, oldest first.
  var releaseMarkers: [ReleaseMarker] = []
  /// The result of the first budget on crash-free sessions; nil without one.
  var budget: BudgetResult?
  /// Crash-free sessions by release.
  var byRelease: [Breakdown] = []
  var byDeviceClass: [Breakdown] = []
  var bySystem: [Breakdown] = []
  /// By the values of the app's attribute; empty without one.
  var byAttribute: [Breakdown] = []
  var burn: BurnReport = .init()
  var digestedThrough: Int64 = 0
  var asOf: Timestamp
}

/// The sessions that started on a day, or on several days together. Days without sessions are included.
struct SessionDay: Sendable, Equatable {
  /// The day, or the first of the consecutive days that are added up.
  var day: CalendarDay
  /// The number of days.
  var days: Int = 1
  var sessions: SessionReport = .init()
  var users: UserReport = .init()
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
