import GRDB
import Storage

/// The deletion of an app's least used signatures. Older use counts less.
struct SignatureEviction {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Deletes the least used signatures of an app, and groups that become empty. Their diagnostics remain without a
  /// group. The weight of a diagnostic halves every week; among equal signatures the oldest is deleted.
  func dropLeastUsed(_ most: Int, of app: AppID, today: Int) throws {
    guard most > 0 else { return }
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT signature.id, signature.member, total(signature_life.count), coalesce(max(signature_life.last_day), 0)
        FROM signature LEFT JOIN signature_life ON signature_life.signature = signature.id
        WHERE signature.app = ? GROUP BY signature.id
        """, arguments: [app])
    var ranked: [(id: Int64, member: Int64, weight: Double)] = []
    while let row = try rows.next() {
      let score = NameScore(uses: try row.value(2), day: min(today, try row.value(3)))
      ranked.append((try row.value(0), try row.value(1), score.decayed(to: today)))
    }
    ranked.sort { ($0.weight, $0.id) < ($1.weight, $1.id) }
    let gone = ranked.prefix(most)
    for signature in gone { try drop(signature.id) }
    for group in Set(gone.map(\.member)) { try SQLiteGroupTables(database).discard(group) }
  }

  private func drop(_ signature: Int64) throws {
    try database.cachedStatement(sql: "UPDATE diagnostic SET signature = NULL WHERE signature = ?")
      .execute(arguments: [signature])
    try database.cachedStatement(sql: "DELETE FROM signature_life WHERE signature = ?").execute(arguments: [signature])
    try database.cachedStatement(sql: "DELETE FROM signature WHERE id = ?").execute(arguments: [signature])
  }
}
