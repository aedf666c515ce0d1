import Core
import GRDB
import Storage

/// The update of everything that depends on deleted rows: first and last days, signatures, binaries, slices and names.
struct DependentsUpdate {
  private let database: Database
  private let app: AppID

  init(_ database: Database, _ app: AppID) {
    self.database = database
    self.app = app
  }

  /// `days`: the days with changed rows; nil for all. `signatures`: the signatures of deleted diagnostics. `isLedger`:
  /// whether the rows are in ClickHouse, so that they do not show which names are in use.
  func run(days: Set<CalendarDay>?, signatures: Set<Int64>, isLedger: Bool = false) throws {
    try recountLifetimes(of: signatures)
    if !isLedger { try shortenLifetimes(days) }
    try deleteBinaries()
    if isLedger { return }
    try deleteSlices()
    try deleteNames()
    try deleteSeriesNames()
    let hasData = try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM slice WHERE app = ?)", arguments: [app])
    if hasData == false { try database.execute(sql: "DELETE FROM app_state WHERE app = ?", arguments: [app]) }
  }

  // MARK: Diagnostics

  /// Recounts the diagnostics of signatures, and deletes signatures and groups without any.
  private func recountLifetimes(of signatures: Set<Int64>) throws {
    var groups: Set<Int64> = []
    for signature in signatures {
      try database.cachedStatement(sql: "DELETE FROM signature_life WHERE signature = ?")
        .execute(arguments: [signature])
      try database.cachedStatement(
        sql: """
          INSERT INTO signature_life (signature, environment, release, first_day, last_day, count)
          SELECT signature, slice.environment, slice.release, min(day), max(day), count(*) FROM diagnostic
          JOIN slice ON slice.id = diagnostic.cell WHERE signature = ? GROUP BY slice.environment, slice.release
          """
      ).execute(arguments: [signature])
      guard database.changesCount == 0 else { continue }
      let find = try database.cachedStatement(sql: "SELECT member FROM signature WHERE id = ?")
      if let group = try Int64.fetchOne(find, arguments: [signature]) { groups.insert(group) }
      try database.cachedStatement(sql: "DELETE FROM signature WHERE id = ?").execute(arguments: [signature])
    }
    for group in groups { try SQLiteGroupTables(database).discard(group) }
  }

  private func deleteBinaries() throws {
    try database.execute(
      sql: """
        DELETE FROM image WHERE app = ?1 AND release NOT IN (
          SELECT slice.release FROM diagnostic JOIN slice ON slice.id = diagnostic.cell WHERE diagnostic.app = ?1)
        """, arguments: [app])
  }

  // MARK: Lifetimes

  private func shortenLifetimes(_ days: Set<CalendarDay>?) throws {
    var lifetimes = ReleaseLifetimes()
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT environment, release, first_day, last_day,
          (SELECT id FROM slice WHERE slice.app = ?1 AND slice.environment = release_life.environment
            AND kind = ?2 AND slice.release = release_life.release)
        FROM release_life WHERE environment IN (SELECT id FROM environment WHERE app = ?1)
        """, arguments: [app, SliceKind.release.number])
    for row in rows {
      let slice: Int64? = try row.value(4)
      let key = SliceKey(app: app, environment: try row.value(0), kind: .release, release: try row.value(1))
      for day in [try row.day(2), try row.day(3)] where days?.contains(day) ?? true {
        // Without a slice no rows remain, and the lifetime ends.
        lifetimes.leave(key, day, slice: slice ?? 0)
      }
    }
    try lifetimes.write(to: database)
  }

  // MARK: Slices and names

  private func deleteSlices() throws {
    try database.execute(
      sql: """
        DELETE FROM slice WHERE app = ?1 AND \(RowTables.isEmptySlice)
        AND (kind <> \(SliceKind.cell.number) OR id NOT IN (SELECT cell FROM session WHERE app = ?1)
          AND id NOT IN (SELECT cell FROM diagnostic WHERE app = ?1))
        """, arguments: [app])
  }

  private func deleteNames() throws {
    for kind in NameKind.ofSlices {
      var used = ["SELECT \(kind.rawValue) FROM slice WHERE app = ?1"]
      if kind == .release || kind == .environment {
        used += ["arrival", "signature_life", "release_life", "session_age", "measurement_age", "installation"].map {
          "SELECT \(kind.rawValue) FROM \($0)"
        }
      }
      if kind == .environment { used.append("SELECT environment FROM arrival_delay") }
      if kind == .release { used.append("SELECT release FROM image WHERE app = ?1") }
      if kind == .attribute {
        try deleteUnusedSets()
        used.append("SELECT attribute FROM attribute_member")
      }
      try database.execute(
        sql: "DELETE FROM \(kind.rawValue) WHERE app = ?1 AND id NOT IN (\(used.joined(separator: " UNION ")))",
        arguments: [app])
    }
    try database.execute(
      sql: "DELETE FROM client WHERE app = ?1 AND name NOT IN (SELECT client FROM tally WHERE app = ?1)",
      arguments: [app])
  }

  /// Deletes sets of attribute values without a cell, so that they keep no values.
  private func deleteUnusedSets() throws {
    try database.execute(
      sql: """
        DELETE FROM attribute WHERE app = ?1 AND name = '' AND id NOT IN (SELECT attribute FROM slice WHERE app = ?1)
        """, arguments: [app])
  }

  /// Deletes metrics and labels without rows. Every series has rows in the slices over everything.
  private func deleteSeriesNames() throws {
    let slices = try Int64.fetchAll(
      database, sql: "SELECT id FROM slice WHERE app = ? AND kind = ?", arguments: [app, SliceKind.all.number])
    let tables = RowTables(database)
    let used = try slices.reduce(into: Set<Int64>()) { $0.formUnion(try tables.metrics(ofRollup: $1)) }
    for metric in try Int64.fetchAll(database, sql: "SELECT id FROM metric WHERE app = ?", arguments: [app])
    where !used.contains(metric) {
      try database.execute(sql: "DELETE FROM metric WHERE id = ?", arguments: [metric])
    }
    for row in try Row.fetchAll(database, sql: "SELECT id, metric FROM label WHERE app = ?", arguments: [app]) {
      let (label, metric): (Int64, Int64) = (try row.value(0), try row.value(1))
      let isUsed = try slices.contains { try tables.hasRollups(of: $0, metric: metric, label: label) }
      if !isUsed { try database.execute(sql: "DELETE FROM label WHERE id = ?", arguments: [label]) }
    }
  }
}
