import Bytes
import Foundation
import GRDB
import Statistics
import Storage
import Telemetry

/// Counts a batch's sessions by the moment they became known, so that burn rates see a crash when it is reported.
struct ArrivalLedger {
  private var gains: [Place: Gain] = [:]

  private struct Place: Hashable {
    let environment: Int64
    let start: Int
    let release: Int64
  }

  private struct Gain {
    var seen: Int64 = 0
    var crashed: Int64 = 0
    var users = UserSet()
  }

  /// The minutes rows are kept: the longest window is three days, and its first row may have begun before it.
  static let memory = 3 * 1440 + 10

  /// Minutes since 1970, UTC.
  static func minute(of time: Timestamp) -> Int { Int((Double(time.milliseconds) / 60_000).rounded(.down)) }

  /// Books what `change` says that was not known before.
  mutating func add(_ change: SessionChange, to cell: SliceKey, at received: Timestamp) {
    let start = TimeBin(start: Self.minute(of: received), resolution: .fiveMinutes).coarsened(to: .fiveMinutes).start
    let place = Place(environment: cell.environment, start: start, release: cell.release)
    gains[place, default: Gain()].seen += change.isFirst ? 1 : 0
    gains[place, default: Gain()].crashed += change.turnsCrashed ? 1 : 0
    if let user = change.crashedUser { gains[place, default: Gain()].users.insert(user) }
  }

  /// Adds everything to the rows that are there.
  func write(to database: Database) throws {
    let select = try database.cachedStatement(
      sql: "SELECT users FROM arrival WHERE environment = ? AND start = ? AND release = ?")
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO arrival (environment, start, release, seen, crashed, users) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE
        SET seen = \(SaturatingSum.of("seen")), crashed = \(SaturatingSum.of("crashed")), users = excluded.users
        """)
    for (place, gain) in gains {
      let key: StatementArguments = [place.environment, place.start, place.release]
      var users = gain.users
      if let stored = try Row.fetchOne(select, arguments: key) {
        // A damaged set begins anew: it is kept three days, and what burns now is what it is for.
        if let known = try? Self.users(in: stored, at: 0) { users.merge(known) }
      }
      var writer = ByteWriter()
      users.encode(into: &writer)
      try insert.execute(arguments: key + [gain.seen, gain.crashed, Data(writer.bytes)])
    }
  }

  /// Decodes a stored set.
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
