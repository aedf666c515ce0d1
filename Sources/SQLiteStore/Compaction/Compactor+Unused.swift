import Core
import GRDB
import Storage

extension Compactor {
  /// Deletes slices without rows, and names without references.
  func deleteUnused() throws {
    try deleteOldLifetimes()
    for kind in ["<>", "="] {
      try deleteSlices(
        "SELECT id FROM slice WHERE kind \(kind) \(SliceKind.cell.number) AND \(RowTables.isEmptySlice)",
        isCell: kind == "=")
    }
    for kind in NameKind.ofSlices { try deleteNames(kind) }
    try deleteSeriesNames()
    try deleteSignatures()
    try deleteGroups()
  }

  /// Deletes signatures with neither a diagnostic nor a lifetime.
  private func deleteSignatures() throws {
    try repeatPortions(keepingIDs: true) { database, _ in
      try database.execute(
        sql: """
          DELETE FROM signature WHERE id IN (
            SELECT id FROM signature
            WHERE NOT EXISTS (SELECT 1 FROM signature_life WHERE signature_life.signature = signature.id)
            AND NOT EXISTS (SELECT 1 FROM diagnostic WHERE diagnostic.signature = signature.id) LIMIT ?)
          """, arguments: [Self.portion])
      return database.changesCount
    }
  }

  /// Deletes lifetimes of builds that ended before the oldest stored rows. The lifetime of an environment's first build
  /// is kept, because it marks the start of the environment's data.
  private func deleteOldLifetimes() throws {
    let oldest = today - max(retention.daily, retention.diagnostics)
    try repeatPortions(keepingIDs: true) { database, _ in
      try database.execute(
        sql: """
          DELETE FROM release_life WHERE (environment, release) IN (
            SELECT life.environment, life.release FROM release_life AS life WHERE life.last_day < ? AND EXISTS (
              SELECT 1 FROM release_life AS older WHERE older.environment = life.environment
              AND (older.first_day, older.release) < (life.first_day, life.release))
            LIMIT ?)
          """, arguments: [oldest, Self.portion])
      return database.changesCount
    }
    try repeatPortions(keepingIDs: true) { database, _ in
      try database.execute(
        sql: """
          DELETE FROM signature_life WHERE (signature, environment, release) IN (
            SELECT signature, environment, release FROM signature_life WHERE last_day < ? LIMIT ?)
          """, arguments: [oldest, Self.portion])
      return database.changesCount
    }
    try repeatPortions(keepingIDs: true) { database, _ in
      try database.execute(
        sql: """
          DELETE FROM image WHERE (app, release, uuid, name) IN (
            SELECT app, release, uuid, name FROM image
            WHERE release NOT IN (SELECT release FROM release_life)
            AND release NOT IN (SELECT id FROM release WHERE used_day >= ?) LIMIT ?)
          """, arguments: [oldest, Self.portion])
      return database.changesCount
    }
  }

  private func deleteSlices(_ sql: String, isCell: Bool) throws {
    var unused = try store.pool.read { try Set(Int64.fetchAll($0, sql: sql)) }
    if isCell {
      // The search for references reads whole tables, so it runs once a day unless there are many unused slices.
      guard !unused.isEmpty, isFirstOfDay || unused.count >= store.limits.cells / 50 else { return }
      // A new session or diagnostic has rows in its cell, which each deletion checks. In a ledger it has none, so
      // nothing is digested between the search and the deletion.
      if store.isLedger {
        return try portion { database, _ in
          try Self.removeUsed(&unused, database)
          for id in unused { try database.execute(sql: "DELETE FROM slice WHERE id = ?", arguments: [id]) }
        }
      }
      try store.pool.read { try Self.removeUsed(&unused, $0) }
    }
    let ids = unused.sorted()
    for start in stride(from: 0, to: ids.count, by: Self.portion) {
      try portion { database, _ in
        // Checked again, because the digest or another process may have used one in the meantime.
        let delete = try database.cachedStatement(
          sql: "DELETE FROM slice WHERE id = ? AND \(RowTables.isEmptySlice)")
        for id in ids[start..<min(start + Self.portion, ids.count)] { try delete.execute(arguments: [id]) }
      }
    }
  }

  /// Removes the cells of sessions and diagnostics from the set.
  private static func removeUsed(_ cells: inout Set<Int64>, _ database: Database) throws {
    for table in ["diagnostic", "session"] {
      let used = try Int64.fetchCursor(database, sql: "SELECT cell FROM \(table)")
      while let cell = try used.next() { cells.remove(cell) }
    }
  }

  private func deleteNames(_ kind: NameKind) throws {
    var used = ["SELECT \(kind.rawValue) FROM slice"]
    if kind == .release || kind == .environment {
      used += ["arrival", "signature_life", "release_life", "session_age", "measurement_age", "installation"].map {
        "SELECT \(kind.rawValue) FROM \($0)"
      }
    }
    if kind == .environment { used.append("SELECT environment FROM arrival_delay") }
    if kind == .release { used.append("SELECT release FROM image") }
    let oldest = today - max(retention.daily, retention.diagnostics)
    var isOld = "retired > 0 OR used_day < \(oldest)"
    if kind == .attribute {
      // A set without a cell is deleted at once, because a later cell can insert it again.
      used.append("SELECT attribute FROM attribute_member")
      isOld += " OR name = ''"
    }
    try delete(kind, "(\(isOld)) AND id NOT IN (\(used.joined(separator: " UNION ")))")
  }

  /// Deletes names of metrics, labels and clients. A name that was unused for longer than rows are kept has no rows.
  private func deleteSeriesNames() throws {
    for kind in [NameKind.metric, .label, .client] {
      let orphans =
        kind == .label
        ? "OR metric >= \(StoredMetric.firstCustom) AND metric NOT IN (SELECT id FROM metric)" : ""
      let aged = kind == .metric ? "AND id NOT IN (SELECT metric FROM measurement_age)" : ""
      try delete(
        kind,
        """
        (used_day < \(today - retention.daily - 1) AND retired = 0 AND name <> '\(NameRegistry.other)'
        OR retired > 0 AND retired < \(today - retention.fine - 1) \(orphans)) \(aged)
        """)
    }
  }

  /// Deletes the names that match the condition. It is evaluated again in each transaction, because the digest or
  /// another process may use a name between two transactions.
  private func delete(_ kind: NameKind, _ condition: String) throws {
    let table = kind.rawValue
    let isAny = try store.pool.read {
      try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))")
    }
    guard isAny == true else { return }
    try repeatPortions { database, registry in
      let gone = try Int64.fetchAll(
        database, sql: "SELECT id FROM \(table) WHERE \(condition) LIMIT \(Self.portion)")
      let delete = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE id = ?")
      for id in gone { try delete.execute(arguments: [id]) }
      registry.forgetUses(of: gone, kind)
      return gone.count
    }
  }

  /// Deletes groups that have neither signatures nor a successor.
  private func deleteGroups() throws {
    let empty = try store.pool.read { database in
      try Int64.fetchAll(
        database,
        sql: """
          SELECT id FROM diagnostic_group WHERE successor IS NULL
          AND NOT EXISTS (SELECT 1 FROM signature WHERE member = diagnostic_group.id)
          """)
    }
    for start in stride(from: 0, to: empty.count, by: Self.portion) {
      try portion(keepingIDs: true) { database, _ in
        for group in empty[start..<min(start + Self.portion, empty.count)] {
          try SQLiteGroupTables(database).discard(group)
        }
      }
    }
  }
}
