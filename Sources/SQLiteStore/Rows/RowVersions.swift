import Core
import GRDB
import Storage

/// The versions of rows, in the tables `row_version` and `day_version`. Each transaction that changes rows increases the
/// version and notes it for the days that changed, or for all days if it does not know them.
struct RowVersions {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// The state of an app's rows.
  struct State {
    /// The newest version.
    let newest: Int64
    /// The last version in which rows of any day may have changed.
    let allDays: Int64
    /// The later versions in which days changed.
    var days: [Int: Int64] = [:]

    /// Whether the rows of a day are still as they were in `version`. Rows of a newer state than this one are not.
    func isCurrent(_ version: Int64, day: Int) -> Bool {
      version <= newest && version >= max(allDays, days[day] ?? 0)
    }
  }

  /// The state of all rows, without `days`; nil if it is unknown.
  func state() throws -> State? {
    let whole = try database.cachedStatement(sql: "SELECT newest, all_days FROM row_version")
    return try Row.fetchOne(whole).map { State(newest: try $0.value(0), allDays: try $0.value(1)) }
  }

  /// The versions in which days of an app changed.
  func days(of app: AppID, in window: Window) throws -> [Int: Int64] {
    let changed = try database.cachedStatement(
      sql: "SELECT day, version FROM day_version WHERE app = ? AND day BETWEEN ? AND ?")
    let days = try Row.fetchAll(changed, arguments: [app, window.from.number, window.to.number])
    return Dictionary(try days.map { (try $0.value(0), try $0.value(1)) }, uniquingKeysWith: max)
  }

  /// Notes a change of some days. Returns the versions before and after it.
  func change(_ days: ChangedDays) throws -> (previous: Int64?, version: Int64) {
    let previous = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT newest FROM row_version WHERE typeof(newest) = 'integer'"))
    let version = try next()
    let change = try database.cachedStatement(
      sql: "INSERT INTO day_version VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version")
    for (app, days) in days.days {
      for day in days { try change.execute(arguments: [app, day, version]) }
    }
    return (previous, version)
  }

  /// Notes a change of any app and day.
  func changeAllDays() throws {
    let version = try next()
    try database.cachedStatement(sql: "UPDATE row_version SET all_days = ?").execute(arguments: [version])
    try database.cachedStatement(sql: "DELETE FROM day_version").execute()
  }

  /// Milliseconds since 1970. A version is never less, so that none returns after the row was lost.
  private static let time = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"

  private func next() throws -> Int64 {
    let next = try database.cachedStatement(
      sql: """
        INSERT INTO row_version VALUES (1, \(Self.time), \(Self.time))
        ON CONFLICT DO UPDATE SET newest = max(newest + 1, excluded.newest) RETURNING newest
        """)
    guard let version = try Int64.fetchOne(next) else { throw StoreError.damaged("row_version has no row") }
    return version
  }
}

/// The days of each app whose rows a transaction changes.
struct ChangedDays {
  fileprivate private(set) var days: [AppID: Set<Int>] = [:]
  private var last: (app: AppID, day: Int)?

  mutating func insert(_ app: AppID, _ day: CalendarDay) {
    // Most changes are of the same day as the preceding one.
    if let last, last == (app, day.number) { return }
    last = (app, day.number)
    days[app, default: []].insert(day.number)
  }

  mutating func formUnion(_ other: ChangedDays) { days.merge(other.days) { $0.union($1) } }
}
