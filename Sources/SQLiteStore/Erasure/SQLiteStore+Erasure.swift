public import Core
import GRDB
public import Ingest
public import Storage
import Synchronization

/// The replay of an app's journal records, which are digested again for a deletion.
public struct JournalReplay {
  /// Passes the changes of the records, in order. With `true`, deleted data is omitted.
  var forEach: (_ keptOnly: Bool, (DigestedBatch) throws -> Void) throws -> Void
  /// The changes of a deleted payload's records only.
  public var removed: () throws -> [DigestedBatch]

  public init(
    forEach: @escaping (_ keptOnly: Bool, (DigestedBatch) throws -> Void) throws -> Void,
    removed: @escaping () throws -> [DigestedBatch] = { [] }
  ) {
    self.forEach = forEach
    self.removed = removed
  }
}

extension SQLiteStore {
  /// Deletes a part of an app's data in one transaction, while the digest waits. If the remaining numbers would be
  /// wrong, throws `ErasureRefused` and changes nothing.
  ///
  /// - Parameter sending: sends the waiting blocks to the ClickHouse servers. Called only for a ledger.
  public func erase(
    _ scope: ErasureScope, of app: AppID, replay: JournalReplay, sending: () throws -> Void = {}
  ) throws -> ErasureFindings {
    if scope == .app {
      var findings = try eraseApp(app)
      if let facts {
        try sending()
        findings.add(try facts.delete(FactPart(app: app), isTrial: false), "metric rows")
      }
      return findings
    }
    // A read, which may repair damaged rows, so it runs before names are locked.
    let part = try facts == nil ? nil : ledgerPart(scope, app)
    var sent = 0
    // A damaged row is quarantined, so that it does not block this deletion and all later ones.
    return try retryingAfterQuarantine {
      try write {
        guard let facts, let part else { return }
        // Nothing is digested in the meantime. If the process is killed after this, the deletion is repeated.
        try sending()
        sent = try facts.delete(part, isTrial: false)
      } _: { database, registry in
        var erasure = StoreErasure(database, app, replay, facts)
        try erasure.run(scope, using: &registry)
        erasure.note(rowsElsewhere: sent)
        return erasure.findings
      }
    }
  }

  /// Deletes diagnostic bodies that were received before `time` and are no longer counted. Returns their number.
  public func eraseUncountedSamples(of app: AppID, receivedBefore time: Timestamp) throws -> Int {
    guard let samples else { return 0 }
    let kept = try samples.identities(of: app, receivedBefore: time)
    let gone = try read { database in
      let find = try database.cachedStatement(sql: "SELECT 1 FROM diagnostic WHERE app = ? AND identity = ? LIMIT 1")
      return try kept.filter { try Int.fetchOne(find, arguments: [app, $0]) == nil }
    }
    try samples.delete(gone, of: app)
    return gone.count
  }

  /// Removes parts of an app's records from quarantined records. See `QuarantineTable.erase`.
  public func eraseSetAside(
    _ filter: ErasedParts, of app: AppID, in range: ClosedRange<Int64>, of node: NodeID
  ) throws -> (changed: Int, unreadable: Int) {
    try writeRows { try QuarantineTable($0).erase(filter, of: app, in: range, of: node) }
  }

  /// The ids of a user's stored sessions.
  public func sessions(of user: UInt64, app: AppID) throws -> Set<UInt64> {
    try read { database in
      let ids = try Int64.fetchAll(
        database, sql: "SELECT sid FROM session WHERE app = ? AND user = ?", arguments: [app, Int64(bitPattern: user)])
      return Set(ids.map(UInt64.init(bitPattern:)))
    }
  }

  // MARK: Apps

  /// Deletes all data of an app, in short transactions between which the digest continues. It may be repeated.
  private func eraseApp(_ app: AppID) throws -> ErasureFindings {
    var findings = ErasureFindings()
    let rows = RowTables.deletions.map { ("", $0.isCounted ? "metric rows" : "", $0.sql) }
    for (_, name, sql) in rows + Self.deletions {
      var count = 0
      while case let changed = try write({ database, _ in
        try database.execute(sql: sql, arguments: ["app": app])
        return database.changesCount
      }), changed > 0 {
        count += changed
        if !sql.contains("LIMIT") { break }
      }
      if !name.isEmpty { findings.add(count, name) }
    }
    if let samples { findings.add(try samples.deleteAll(of: app), "diagnostic bodies") }
    return findings
  }

  func rowCounts(of app: AppID) throws -> ErasureFindings {
    try read { database in
      var findings = ErasureFindings()
      findings.add(try RowTables(database).count(of: app), "metric rows")
      for (table, name, _) in Self.deletions where !name.isEmpty {
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table) WHERE app = ?", arguments: [app])
        findings.add(count ?? 0, name)
      }
      return findings
    }
  }

  /// The statements that delete the remaining data of an app, in order: references to slices and names are deleted
  /// before the slices and names. Statements with a LIMIT are repeated.
  private static let deletions: [(table: String, name: String, sql: String)] = {
    let environments = "SELECT id FROM environment WHERE app = :app"
    return [
      (
        "session", "sessions",
        "DELETE FROM session WHERE app = :app AND sid IN (SELECT sid FROM session WHERE app = :app LIMIT 20000)"
      ),
      ("stream", "", "DELETE FROM stream WHERE app = :app"),
      (
        "diagnostic", "diagnostics",
        "DELETE FROM diagnostic WHERE id IN (SELECT id FROM diagnostic WHERE app = :app LIMIT 20000)"
      ),
      (
        "signature_life", "",
        "DELETE FROM signature_life WHERE signature IN (SELECT id FROM signature WHERE app = :app)"
      ),
      ("signature", "", "DELETE FROM signature WHERE app = :app"),
      ("diagnostic_group", "groups", "DELETE FROM diagnostic_group WHERE app = :app"),
      ("image", "", "DELETE FROM image WHERE app = :app"),
      ("own_binary", "", "DELETE FROM own_binary WHERE app = :app"),
      ("tally", "payload counts", "DELETE FROM tally WHERE app = :app"),
      ("quarantine", "quarantined records", "DELETE FROM quarantine WHERE app = :app"),
      ("arrival", "", "DELETE FROM arrival WHERE environment IN (\(environments))"),
      ("arrival_delay", "", "DELETE FROM arrival_delay WHERE environment IN (\(environments))"),
      ("installation", "", "DELETE FROM installation WHERE environment IN (\(environments))"),
      ("session_age", "", "DELETE FROM session_age WHERE environment IN (\(environments))"),
      (
        "measurement_age", "",
        "DELETE FROM measurement_age WHERE environment IN (\(environments))"
      ),
      ("release_life", "", "DELETE FROM release_life WHERE environment IN (\(environments))"),
      ("slice", "", "DELETE FROM slice WHERE app = :app"),
    ] + NameKind.allCases.map { ($0.rawValue, "", "DELETE FROM \($0.rawValue) WHERE app = :app") }
      + ["row_count", "stream_eviction", "app_state"].map { ($0, "", "DELETE FROM \($0) WHERE app = :app") }
  }()
}

extension SQLiteSampleStore {
  fileprivate func identities(of app: AppID, receivedBefore time: Timestamp) throws -> [Int64] {
    // Later samples belong to diagnostics that will still be counted, unless the clock was wrong when they were
    // received.
    let selects = Self.tables.map {
      "SELECT identity FROM \($0) WHERE app = ?1 AND (received < ?2 OR received > ?2 + 86400000)"
    }
    return try database.read {
      try Int64.fetchAll($0, sql: selects.joined(separator: " UNION "), arguments: [app, time.milliseconds])
    }
  }

  fileprivate func delete(_ identities: [Int64], of app: AppID) throws {
    guard !identities.isEmpty else { return }
    try database.write { database in
      for table in Self.tables {
        let delete = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE app = ? AND identity = ?")
        for identity in identities { try delete.execute(arguments: [app, identity]) }
      }
    }
  }

  fileprivate func deleteAll(of app: AppID) throws -> Int {
    try database.write { database in
      try database.execute(sql: "DELETE FROM stack WHERE app = ?", arguments: [app])
      try database.execute(sql: "DELETE FROM sample WHERE app = ?", arguments: [app])
      return database.changesCount
    }
  }
}
