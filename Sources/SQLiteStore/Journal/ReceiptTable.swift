import GRDB
import Storage
import Telemetry

/// Idempotency keys of the last seven days.
struct ReceiptTable {
  private let database: Database

  /// How long a key is remembered, in milliseconds.
  static let lifetime: Int64 = 7 * 86_400_000

  init(_ database: Database) { self.database = database }

  /// Remembers a key. When the app used it within the last seven days, nothing changes, and the content it stood for is
  /// returned; a key of before contents were kept counts as used for the same.
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
}
