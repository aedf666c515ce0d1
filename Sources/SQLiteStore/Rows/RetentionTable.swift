import Core
import GRDB
import Storage

/// The table `retention`: the number of days for which rows are complete. A longer setting takes effect day by day,
/// because rows that were deleted under a shorter one are lost.
struct RetentionTable {
  private let database: Database

  /// The kinds of rows that queries read.
  enum Kind: String {
    case fine
    case daily

    var setting: KeyPath<Retention, Int> { self == .fine ? \.fine : \.daily }
  }

  init(_ database: Database) { self.database = database }

  /// The number of days for which rows of a kind are complete.
  func days(_ kind: Kind) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT days FROM retention WHERE kind = ?"), arguments: [kind.rawValue])
      ?? Retention()[keyPath: kind.setting]
  }

  /// Updates the table to the settings, before rows are deleted.
  func update(_ retention: Retention, today: Int) throws {
    for kind in [Kind.fine, .daily] {
      let (known, wanted) = (try days(kind), retention[keyPath: kind.setting])
      let updated = try Int.fetchOne(
        database, sql: "SELECT updated FROM retention WHERE kind = ?", arguments: [kind.rawValue])
      let days = min(wanted, known.saturatingAdd(max(0, today - (updated ?? today))))
      guard updated == nil || days != known || wanted <= known, updated != today || days != known else { continue }
      try database.execute(
        sql: """
          INSERT INTO retention VALUES (?, ?, ?)
          ON CONFLICT DO UPDATE SET days = excluded.days, updated = max(updated, excluded.updated)
          """, arguments: [kind.rawValue, days, today])
    }
  }
}
