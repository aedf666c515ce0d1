import Core
import Foundation
import GRDB
import Statistics
import Storage

/// A batch's sessions by the time at which they became known, so that burn rates include a crash as soon as it is
/// reported.
struct SessionArrivals {
  private var gains: [ArrivalKey: Gain] = [:]

  private struct ArrivalKey: Hashable {
    let environment: Int64
    let start: Int
    let release: Int64
  }

  private struct Gain {
    var seen: Int64 = 0
    var crashed: Int64 = 0
    var users = UserSet()
  }

  /// The number of minutes for which rows are kept: the longest window of three days, whose first row may start before
  /// it.
  static let memory = 3 * 1440 + 10

  /// Converts a time to whole minutes since 1970, in UTC.
  static func minute(of time: Timestamp) -> Int { Int((Double(time.milliseconds) / 60_000).rounded(.down)) }

  /// Adds the news of an update about a session. `old`: the session's state before, nil for an unknown session. `slice`:
  /// the key of its cell's slice.
  mutating func add(
    _ new: SessionState, after old: SessionState?, at received: Timestamp, in slice: SliceKey
  ) {
    // A session never leaves the state crashed, so this happens once per session.
    let turnsCrashed = new.outcome == .crashed && old?.outcome != .crashed
    // The user of a crashed session may become known later than the crash.
    let isUserNews = new.outcome == .crashed && new.user != nil && (turnsCrashed || old?.user == nil)
    guard old == nil || turnsCrashed || isUserNews else { return }
    let start = TimeBin(start: Self.minute(of: received), resolution: .fiveMinutes).coarsened(to: .fiveMinutes).start
    let key = ArrivalKey(environment: slice.environment, start: start, release: slice.release)
    gains[key, default: Gain()].seen += old == nil ? 1 : 0
    gains[key, default: Gain()].crashed += turnsCrashed ? 1 : 0
    if isUserNews, let user = new.user { gains[key, default: Gain()].users.insert(user) }
  }

  /// Adds the counts of another batch.
  mutating func merge(_ other: SessionArrivals) {
    for (key, gain) in other.gains {
      gains[key, default: Gain()].seen += gain.seen
      gains[key, default: Gain()].crashed += gain.crashed
      gains[key, default: Gain()].users.merge(gain.users)
    }
  }

  /// Subtracts these counts from the stored rows, and adds the counts of `kept`. An empty row is deleted.
  func replace(by kept: SessionArrivals, in database: Database) throws {
    let select = try database.cachedStatement(
      sql: "SELECT seen, crashed, users FROM arrival WHERE environment = ? AND start = ? AND release = ?")
    let update = try database.cachedStatement(
      sql: "UPDATE arrival SET seen = ?, crashed = ?, users = ? WHERE environment = ? AND start = ? AND release = ?")
    let delete = try database.cachedStatement(
      sql: "DELETE FROM arrival WHERE environment = ? AND start = ? AND release = ?")
    for (arrival, gone) in gains {
      let key: StatementArguments = [arrival.environment, arrival.start, arrival.release]
      guard let stored = try Row.fetchOne(select, arguments: key) else { continue }
      let still = kept.gains[arrival] ?? Gain()
      var users = try Self.users(in: stored, at: 2)
      users.subtract(gone.users)
      users.merge(still.users)
      let seen = max(0, Int64(stored.count(0)) - gone.seen + still.seen)
      let crashed = max(0, Int64(stored.count(1)) - gone.crashed + still.crashed)
      if seen == 0, crashed == 0 {
        try delete.execute(arguments: key)
        continue
      }
      var writer = ByteWriter()
      users.encode(into: &writer)
      try update.execute(arguments: [seen, crashed, Data(writer.bytes)] + key)
    }
  }

  /// Adds the counted sessions and crashes to the stored rows.
  func write(to database: Database) throws {
    let select = try database.cachedStatement(
      sql: "SELECT users FROM arrival WHERE environment = ? AND start = ? AND release = ?")
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO arrival (environment, start, release, seen, crashed, users) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE
        SET seen = \(UpsertSum.of("seen")), crashed = \(UpsertSum.of("crashed")), users = excluded.users
        """)
    for (arrival, gain) in gains {
      let key: StatementArguments = [arrival.environment, arrival.start, arrival.release]
      var users = gain.users
      if let stored = try Row.fetchOne(select, arguments: key) {
        // A damaged set is replaced: rows are kept for only three days, and burn rates are about the present.
        if let known = try? Self.users(in: stored, at: 0) {
          users.merge(known)
        } else {
          let name = "environment \(arrival.environment), start \(arrival.start), release \(arrival.release)"
          try QuarantineTable(database).add([DamagedRow(stored, of: "arrival", key: [name], body: 0)])
        }
      }
      var writer = ByteWriter()
      users.encode(into: &writer)
      try insert.execute(arguments: key + [gain.seen, gain.crashed, Data(writer.bytes)])
    }
  }

  /// Decodes a stored set of users.
  static func users(in row: Row, at column: Int) throws -> UserSet {
    try row.withUnsafeData(atIndex: column) { data in
      try (data ?? Data()).withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        do {
          return try UserSet(from: &reader)
        } catch {
          throw StoreError.damaged("\(error)")
        }
      }
    }
  }
}

/// Queries the sessions and crashes that became known in the last days.
struct ArrivalQueries {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func arrivals(_ query: ArrivalQuery) throws -> [Arrival] {
    let release = query.release.map(ReleaseFilter.init)
    let statement = try database.cachedStatement(
      sql: """
        SELECT arrival.start, arrival.seen, arrival.crashed, arrival.users FROM arrival
        JOIN environment ON environment.id = arrival.environment JOIN release ON release.id = arrival.release
        WHERE environment.app = ? AND environment.name = ? AND arrival.start >= ?
          \(release == nil ? "" : "AND " + ReleaseFilter.condition)
        ORDER BY arrival.start, arrival.release
        """)
    let rows = try Row.fetchCursor(
      statement,
      arguments: [query.app, query.environment, query.from] + StatementArguments(release?.arguments ?? []))
    var found: [Arrival] = []
    while let row = try rows.next() {
      found.append(
        Arrival(
          start: try row.value(0), seen: try row.value(1), crashed: try row.value(2),
          users: try SessionArrivals.users(in: row, at: 3)))
    }
    return found
  }
}
