import Core
import GRDB
import Storage
import Synchronization

/// The table `receipt`: idempotency keys of the last seven days.
struct ReceiptTable {
  let database: Database

  /// The time for which a key is remembered, in milliseconds.
  static let lifetime: Int64 = 7 * 86_400_000

  init(_ database: Database) { self.database = database }

  /// Stores a key with the sequences that the request's records get after `last`. If the app used the key within the
  /// last seven days, nothing changes, and the result is the hash of the body with which it was used (or of the new
  /// body, for keys from versions without hashes).
  func claim(_ receipt: Receipt, of request: PendingRecords, after last: Int64) throws -> UInt64? {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO receipt (app, key, received, content, through, count) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (app, key) DO UPDATE SET received = excluded.received, content = excluded.content,
          through = excluded.through, count = excluded.count
        WHERE received < excluded.received - ?
        """)
    let key = Int64(bitPattern: receipt.key)
    try statement.execute(arguments: [
      request.app, key, request.received.milliseconds, Int64(bitPattern: receipt.content),
      last + Int64(request.count), request.count, Self.lifetime,
    ])
    if database.changesCount > 0 { return nil }
    let content = try Int64.fetchOne(
      database, sql: "SELECT content FROM receipt WHERE app = ? AND key = ?", arguments: [request.app, key])
    return content.map { UInt64(bitPattern: $0) } ?? receipt.content
  }

  /// The apps with receipts. Each is found with one index step.
  func apps() throws -> [AppID] {
    let next = try database.cachedStatement(sql: "SELECT min(app) FROM receipt WHERE app > ?")
    var found: [AppID] = []
    while let app = try AppID.fetchOne(next, arguments: [found.last ?? .min]) { found.append(app) }
    return found
  }

  private static let portion = 5_000

  /// Deletes some of an app's receipts from before `time` (milliseconds since 1970) and returns their number. Call it
  /// until it returns 0.
  func drop(of app: AppID, before time: Int64) throws -> Int {
    try database.execute(
      sql: """
        DELETE FROM receipt WHERE app = ?1 AND key IN (
          SELECT key FROM receipt WHERE app = ?1 AND received < ?2 LIMIT ?3)
        """, arguments: [app, time, Self.portion])
    return database.changesCount
  }

  /// Deletes some of an app's oldest receipts and returns their number.
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

/// The limit on the receipts of each app. They are counted in memory, and in the table only if that count exceeds the
/// limit.
final class ReceiptBound: Sendable {
  private let most: Int
  private let counts = Mutex<[AppID: Int]>([:])

  init(most: Int) { self.most = most }

  /// Deletes excess receipts. Call it in the transaction that stored keys; `apps`: the app of each key.
  func bound(_ apps: [AppID], in database: Database) throws {
    for (app, claims) in Dictionary(grouping: apps, by: { $0 }).mapValues(\.count) {
      let table = ReceiptTable(database)
      let known = try counts.withLock({ $0[app] }).map { $0.saturatingAdd(claims) } ?? table.count(of: app)
      guard known > most else {
        counts.withLock { $0[app] = known }
        continue
      }
      // The count in memory includes repetitions, so the table is counted.
      let count = try table.count(of: app)
      // One percent more is deleted, so that the next key does not cause another count.
      let dropped = count > most ? try table.dropOldest(count - most + most / 100, of: app) : 0
      counts.withLock { $0[app] = count - dropped }
    }
  }
}
