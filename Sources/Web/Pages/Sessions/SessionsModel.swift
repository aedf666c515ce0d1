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
  static let fields = Fields<Self>("SessionDetail", "What the page of sessions and users shows.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field.digestedThrough(\.digestedThrough)
    Field("sessions", \.sessions)
    Field("users", \.users)
    Field("days", \.days)
    Field("release_markers", \.releaseMarkers, "The first day of each release within the window.")
    Field("by_release", \.byRelease)
    Field("by_device_class", \.byDeviceClass)
    Field("by_os", \.bySystem)
    Field("by_attribute", \.byAttribute)
    Field("burn", \.burn)
  }

  /// One row per day, or per step of several days.
  public static let table = AnswerTable<Self>(
    \.days,
    without: [
      "sessions.crash_free.n_eff", "sessions.crash_free.basis", "sessions.hang_free", "users.crash_free",
      "users.crash_free_daily",
    ])
  public static let tables: [DataTable: AnswerTable<Self>] = [.parts: .parts(\.parts), .courses: .courses(\.parts)]

  private var parts: [(dimension: String, rows: [Breakdown])] {
    [("release", byRelease), ("device_class", byDeviceClass), ("os", bySystem), ("attribute", byAttribute)]
  }
}

extension SessionDay: APIObject {
  public static let fields = Fields<Self>("SessionDay") {
    Field("day", \.day, "The first day.")
    Field("days", \.days, "How many days these are together.", schema: .integer(from: 1))
    Field("sessions", \.sessions)
    Field("users", \.users)
  }
}
