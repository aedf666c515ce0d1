import Core
import GRDB
import Statistics
import Storage

/// The recount of a day's users from its sessions. An estimate of many users cannot remove a user, so it is replaced if
/// it differs from the true number by more than its error.
struct UserRecount {
  private let database: Database

  init(_ database: Database) { self.database = database }

  private var tables: RowTables { RowTables(database) }

  private struct AppDay: Hashable {
    let app: AppID
    let day: CalendarDay
  }

  /// Recounts the `rows` that need it or, with `always`, every estimate among them. They must already be written.
  /// `slices` returns the slices of a cell: first the cell, then its rollups.
  func run(
    _ rows: some Sequence<RowKey>, always: Bool = false, slices: (Int64) throws -> [Int64]
  ) throws {
    let off = try Set(rows.filter { try always ? isEstimate($0) : isOff($0) })
    for (appDay, rows) in try Dictionary(grouping: off, by: appDay) {
      let sets = try users(of: appDay, in: Set(rows), slices: slices)
      for row in rows { try tables.replace(row, in: .rollups, by: sets[row].map(Aggregate.users)) }
    }
  }

  private func isEstimate(_ row: RowKey) throws -> Bool {
    guard case .users(let users)? = try tables.aggregate(at: row, in: .rollups) else { return false }
    return !users.all.isExact || !users.crashed.isExact
  }

  /// The largest accepted ratio of an estimate to the true number: three standard errors.
  private static let tolerance = 1 + 3 * UserSet.relativeError

  /// Whether an estimate is too high. The true number is known from the row of sessions.
  private func isOff(_ row: RowKey) throws -> Bool {
    guard case .users(let users)? = try tables.aggregate(at: row, in: .rollups),
      !users.all.isExact || !users.crashed.isExact
    else {
      return false
    }
    var sessions = row
    sessions.metric = Int64(Catalogue.sessions)
    var known = SessionTally()
    if case .sessions(let tally)? = try tables.aggregate(at: sessions, in: .rollups) { known = tally }
    return Double(users.all.estimate) > Double(known.knownUserDays) * Self.tolerance
      || Double(users.crashed.estimate) > Double(known.crashedUserDays) * Self.tolerance
  }

  private func appDay(of row: RowKey) throws -> AppDay {
    let app = try AppID.fetchOne(
      database.cachedStatement(sql: "SELECT app FROM slice WHERE id = ?"), arguments: [row.slice])
    return AppDay(app: app ?? 0, day: row.bin.day)
  }

  /// The users of a day's sessions in each of `rows`.
  private func users(
    of appDay: AppDay, in rows: Set<RowKey>, slices: (Int64) throws -> [Int64]
  ) throws -> [RowKey: UserTally] {
    let sessions = try Row.fetchCursor(
      database,
      sql:
        "SELECT user, cell, source, outcome FROM session WHERE app = ? AND minute >= ? AND minute < ? AND user NOT NULL",
      arguments: [appDay.app, appDay.day.number * 1440, (appDay.day.number + 1) * 1440])
    var rollups: [Int64: [Int64]] = [:]
    var sets: [RowKey: UserTally] = [:]
    while let session = try sessions.next() {
      let user = UInt64(bitPattern: try session.value(0))
      let cell: Int64 = try session.value(1)
      let source: UInt8 = try session.value(2)
      let isCrashed = try SessionTable.outcome(session.value(3)) == .crashed
      let known = try rollups[cell] ?? Array(slices(cell).dropFirst())
      rollups[cell] = known
      for slice in known {
        let row = RowKey(slice: slice, metric: Int64(Catalogue.users), bin: TimeBin(appDay.day), source: source)
        guard rows.contains(row) else { continue }
        sets[row, default: UserTally()].all.insert(user)
        if isCrashed { sets[row]?.crashed.insert(user) }
      }
    }
    return sets
  }
}
