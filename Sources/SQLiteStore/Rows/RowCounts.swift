import Core
import GRDB
import Storage

/// The limits of the tables that grow with every session, stream, diagnostic or installation. Counts their rows by app,
/// in the table `row_count`, and deletes the oldest beyond a limit.
struct RowCounts {
  private var counts: [Key: Int] = [:]
  private var changed: Set<Key> = []

  /// The counted tables. Raw values are stored: never change one.
  enum Kind: Int, CaseIterable {
    case session = 1
    case stream = 2
    case diagnostic = 3
    case installation = 4
  }

  private struct Key: Hashable {
    let app: AppID
    let kind: Kind
  }

  /// Adds the number of rows that a batch inserted to the counts.
  mutating func add(_ rows: Int, _ kind: Kind, _ app: AppID, in database: Database) throws {
    let key = Key(app: app, kind: kind)
    let known = try counts[key] ?? Self.stored(key, in: database)
    counts[key] = known.saturatingAdd(rows)
    changed.insert(key)
  }

  /// Deletes the oldest rows of apps beyond their limit, at most `portion` per app, and writes the counts.
  mutating func bound(_ limits: StoreLimits, portion: Int, in database: Database) throws {
    for key in changed {
      let count = counts[key] ?? 0
      let excess = count - limits.most(key.kind)
      if excess > 0 {
        let dropped = try Self.dropOldest(min(excess, portion), key, in: database)
        counts[key] = count - dropped
      }
      try Self.write(counts[key] ?? 0, key, in: database)
    }
    changed = []
  }

  /// Deletes the oldest rows of an app beyond its limit and returns their number.
  mutating func dropExcess(
    _ kind: Kind, _ app: AppID, _ limits: StoreLimits, portion: Int, in database: Database
  ) throws -> Int {
    let key = Key(app: app, kind: kind)
    let count = try counts[key] ?? Self.stored(key, in: database)
    guard count > limits.most(kind) else { return 0 }
    let dropped = try Self.dropOldest(min(portion, count - limits.most(kind)), key, in: database)
    // Corrects a stored count that is too high.
    counts[key] = dropped == 0 ? limits.most(kind) : count - dropped
    try Self.write(counts[key] ?? 0, key, in: database)
    return dropped
  }

  private static func stored(_ key: Key, in database: Database) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count FROM row_count WHERE app = ? AND kind = ?"),
      arguments: [key.app, key.kind.rawValue]) ?? 0
  }

  private static func write(_ count: Int, _ key: Key, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO row_count (app, kind, count) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = excluded.count
        """
    ).execute(arguments: [key.app, key.kind.rawValue, max(0, count)])
  }

  /// Deletes the oldest rows. Streams with a single value are deleted before those with several.
  private static func dropOldest(_ most: Int, _ key: Key, in database: Database) throws -> Int {
    let sql =
      switch key.kind {
      case .session:
        "DELETE FROM session WHERE app = ?1 AND sid IN (SELECT sid FROM session WHERE app = ?1 ORDER BY received LIMIT ?2)"
      case .stream:
        """
        DELETE FROM stream WHERE app = ?1 AND (stream, start) IN (
          SELECT stream, start FROM stream WHERE app = ?1 ORDER BY received, updates LIMIT ?2)
        """
      case .diagnostic:
        "DELETE FROM diagnostic WHERE id IN (SELECT id FROM diagnostic WHERE app = ?1 ORDER BY day, id LIMIT ?2)"
      case .installation:
        """
        DELETE FROM installation WHERE (environment, user) IN (
          SELECT environment, user FROM installation WHERE environment IN (SELECT id FROM environment WHERE app = ?1)
          ORDER BY seen LIMIT ?2)
        """
      }
    if key.kind == .stream {
      try StreamEvictionTable(database).note(
        oldest: "SELECT start, received FROM stream WHERE app = ?1 ORDER BY received, updates LIMIT ?2",
        [key.app, most], of: key.app)
    }
    try database.cachedStatement(sql: sql).execute(arguments: [key.app, most])
    return database.changesCount
  }

  /// Subtracts rows of an app that were deleted by other code.
  static func subtract(_ rows: Int, _ kind: Kind, _ app: AppID, in database: Database) throws {
    try database.cachedStatement(sql: "UPDATE row_count SET count = max(0, count - ?) WHERE app = ? AND kind = ?")
      .execute(arguments: [rows, app, kind.rawValue])
  }
}

extension StoreLimits {
  fileprivate func most(_ kind: RowCounts.Kind) -> Int {
    switch kind {
    case .session: retention.mostSessions
    case .stream: streams
    case .diagnostic: diagnostics
    case .installation: installations
    }
  }
}

extension NameRegistry {
  /// The maximum number of rows of each kind and app that one batch deletes.
  private static let portion = 20_000

  /// Limits the tables that grow with every new session, stream, diagnostic or installation.
  mutating func boundRows(in database: Database) throws {
    try rowCounts.bound(limits, portion: Self.portion, in: database)
  }
}
