import GRDB
import Storage
import Synchronization
import Telemetry

/// Idempotency keys of the last seven days.
struct ReceiptTable {
  private let database: Database

  /// How long a key is remembered, in milliseconds.
  static let lifetime: Int64 = 7 * 86_400_000

  init(_ database: Database) { self.database = database }

  /// Stores a key. When the app used it within the last seven days, nothing changes, and the hash of its content then is
  /// returned; for a key from before contents were stored, the hash of the new content.
  func claim(_ receipt: Receipt, of request: PendingRecords) throws -> UInt64? {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO receipt (app, key, received, content) VALUES (?, ?, ?, ?)
        ON CONFLICT (app, key) DO UPDATE SET received = excluded.received, content = excluded.content
        WHERE received < excluded.received - ?
        """)
    let key = Int64(bitPattern: receipt.key)
    try statement.execute(arguments: [
      request.app, key, request.received.milliseconds, Int64(bitPattern: receipt.content), Self.lifetime,
    ])
    if database.changesCount > 0 { return nil }
    let content = try Int64.fetchOne(
      database, sql: "SELECT content FROM receipt WHERE app = ? AND key = ?", arguments: [request.app, key])
    return content.map { UInt64(bitPattern: $0) } ?? receipt.content
  }

  /// Apps with receipts, one index step each.
  func apps() throws -> [AppID] {
    let next = try database.cachedStatement(sql: "SELECT min(app) FROM receipt WHERE app > ?")
    var found: [AppID] = []
    while let app = try AppID.fetchOne(next, arguments: [found.last ?? .min]) { found.append(app) }
    return found
  }

  private static let portion = 5_000

  /// Deletes some receipts from before that time, and returns how many. Call it again until it returns 0.
  func drop(of app: AppID, before time: Int64) throws -> Int {
    try database.execute(
      sql: """
        DELETE FROM receipt WHERE app = ?1 AND key IN (
          SELECT key FROM receipt WHERE app = ?1 AND received < ?2 LIMIT ?3)
        """, arguments: [app, time, Self.portion])
    return database.changesCount
  }

  /// Drops some of the oldest, and returns how many.
  func dropOldest(_ most: Int, of app: AppID) throws -> Int {
    try database.execute(
      sql: """
        DELETE FROM receipt WHERE app = ?1 AND key IN (SELECT key FROM receipt WHERE app = ?1 ORDER BY received LIMIT ?2)
        """, arguments: [app, min(most, Self.portion)])
    return database.changesCount
  }

  func count(of app: AppID) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM receipt WHERE app = ?", arguments: [app]) ?? 0
  }
}

/// Keeps the receipts of each app within a bound. They are counted in memory, and in the table only where that count is too
/// high.
final class ReceiptBound: Sendable {
  private let most: Int
  private let counts = Mutex<[AppID: Int]>([:])

  init(most: Int) { self.most = most }

  /// Call it in the transaction that claimed keys of `apps`, one for each.
  func bound(_ apps: [AppID], in database: Database) throws {
    for (app, claims) in Dictionary(grouping: apps, by: { $0 }).mapValues(\.count) {
      let table = ReceiptTable(database)
      let known = try counts.withLock({ $0[app] }).map { $0.addingSaturated(claims) } ?? table.count(of: app)
      guard known > most else {
        counts.withLock { $0[app] = known }
        continue
      }
      // Repeats were counted, too.
      let count = try table.count(of: app)
      // A hundredth more, so that the next one need not be counted again.
      let dropped = count > most ? try table.dropOldest(count - most + most / 100, of: app) : 0
      counts.withLock { $0[app] = count - dropped }
    }
  }
}
