import Bytes
import Foundation
import GRDB
import Statistics
import Storage
import Telemetry

/// An estimate of many users cannot forget one of them. Where so many have left a day that its estimate is off by more
/// than its own error, the day's users are counted anew from its sessions.
struct UserRecount {
  private let database: Database

  init(_ database: Database) { self.database = database }

  private struct AppDay: Hashable {
    let app: AppID
    let day: CalendarDay
  }

  /// Looks at `rows`, which users have left and which are written. `slices` names the slices that hold a cell: itself first,
  /// then its marginals.
  func run(_ rows: some Sequence<RowKey>, slices: (Int64) throws -> [Int64]) throws {
    let off = try Set(rows.filter(isOff))
    for (place, rows) in try Dictionary(grouping: off, by: appDay) {
      let sets = try users(of: place, in: Set(rows), slices: slices)
      for row in rows { try write(sets[row], to: row) }
    }
  }

  /// Three standard errors, relative to the true number.
  private static let tolerance = 1 + 3 * UserSet.relativeError

  /// How many users a row has is known exactly from its sessions; who they are is not.
  private func isOff(_ row: RowKey) throws -> Bool {
    guard case .users(let users)? = try body(of: row), !users.all.isExact || !users.crashed.isExact else {
      return false
    }
    var sessions = row
    sessions.metric = Int64(Catalogue.sessions)
    var known = SessionTally()
    if case .sessions(let tally)? = try body(of: sessions) { known = tally }
    return Double(users.all.estimate) > Double(known.knownUserDays) * Self.tolerance
      || Double(users.crashed.estimate) > Double(known.crashedUserDays) * Self.tolerance
  }

  private func body(of row: RowKey) throws -> Aggregate? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT body FROM marginal
        WHERE slice = ? AND metric = ? AND start = ? AND resolution = ? AND label = ? AND source = ?
        """)
    return try Row.fetchOne(statement, arguments: row.arguments).map { try RowBatch.aggregate(in: $0, at: 0) }
  }

  private func appDay(of row: RowKey) throws -> AppDay {
    let app = try AppID.fetchOne(
      database.cachedStatement(sql: "SELECT app FROM slice WHERE id = ?"), arguments: [row.slice])
    return AppDay(app: app ?? 0, day: TimeBin(start: row.start, resolution: .day).day)
  }

  /// The users of a day's sessions in each of `rows`.
  private func users(
    of place: AppDay, in rows: Set<RowKey>, slices: (Int64) throws -> [Int64]
  ) throws -> [RowKey: UserTally] {
    let sessions = try Row.fetchCursor(
      database,
      sql:
        "SELECT user, cell, source, outcome FROM session WHERE app = ? AND minute >= ? AND minute < ? AND user NOT NULL",
      arguments: [place.app, place.day.number * 1440, (place.day.number + 1) * 1440])
    var marginals: [Int64: [Int64]] = [:]
    var sets: [RowKey: UserTally] = [:]
    while let session = try sessions.next() {
      let user = UInt64(bitPattern: session[0] as Int64)
      let cell: Int64 = session[1]
      let known = try marginals[cell] ?? Array(slices(cell).dropFirst())
      marginals[cell] = known
      for slice in known {
        let row = RowKey(
          slice: slice, metric: Int64(Catalogue.users), bin: TimeBin(place.day), source: session[2] as UInt8)
        guard rows.contains(row) else { continue }
        sets[row, default: UserTally()].all.insert(user)
        if (session[3] as UInt8) == SessionOutcome.crashed.rawValue { sets[row]?.crashed.insert(user) }
      }
    }
    return sets
  }

  private func write(_ users: UserTally?, to row: RowKey) throws {
    let place = "WHERE slice = ? AND metric = ? AND start = ? AND resolution = ? AND label = ? AND source = ?"
    guard let users else {
      return try database.cachedStatement(sql: "DELETE FROM marginal \(place)").execute(arguments: row.arguments)
    }
    var writer = ByteWriter(reserving: 256)
    Aggregate.users(users).encode(into: &writer)
    try database.cachedStatement(sql: "UPDATE marginal SET body = ? \(place)")
      .execute(arguments: [Data(writer.bytes)] + row.arguments)
  }
}
