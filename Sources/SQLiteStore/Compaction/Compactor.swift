import Core
import Foundation
import GRDB
import Storage
import Synchronization

/// The compaction of a store: it merges old fine rows into coarser ones, and deletes expired data, data beyond limits
/// and unused names. Totals of whole days do not change.
///
/// It works in short transactions, between which the digest continues. Damaged rows are quarantined and counted, and a
/// failing step does not stop the others.
struct Compactor {
  let store: SQLiteStore
  let today: Int
  private let minute: Int

  var retention: Retention { store.limits.retention }
  /// The maximum number of rows that one transaction changes.
  static let portion = 5_000

  init(_ store: SQLiteStore, now: Timestamp) {
    self.store = store
    today = now.day().number
    minute = SessionArrivals.minute(of: now)
  }

  /// Whether it is the first hour of a day in UTC, in which a server compacts once.
  var isFirstOfDay: Bool { minute % 1440 < 60 }

  func run() throws {
    var failures: [any Error] = []
    // First, so that no query treats a day as complete while its rows are being deleted.
    try portion(keepingIDs: true) { database, _ in try RetentionTable(database).update(retention, today: today) }
    for step in [
      coarsen, dropRows, dropSessionsAndStreams, dropAges, dropTallies, dropDiagnostics, dropArrivals, moveRetired,
      deleteUnused,
    ] {
      do { try store.retryingAfterQuarantine(step) } catch { failures.append(error) }
    }
    if let first = failures.first { throw first }
  }

  /// Runs a short transaction, during which other writes wait.
  ///
  /// `keepingIDs`: whether the digest keeps its cached names. Only for a transaction that deletes no name, slice or
  /// counted row.
  func portion<Value: Sendable>(
    keepingIDs: Bool = false, _ body: (Database, inout NameRegistry) throws -> Value
  ) throws -> Value {
    try store.write(keeping: keepingIDs ? .everything : .uses, body)
  }

  /// Repeats a transaction until it changes nothing: `body` returns the number of rows it changed.
  func repeatPortions(
    keepingIDs: Bool = false, _ body: (Database, inout NameRegistry) throws -> Int
  ) throws {
    while try portion(keepingIDs: keepingIDs, body) > 0 {}
  }

  /// Adds to the count of damaged rows that were quarantined.
  func noteDamage(
    _ rows: [AppID: Int], in table: String, _ database: Database, _ registry: inout NameRegistry
  ) throws {
    guard !rows.isEmpty else { return }
    let tallies = rows.map { app, count in
      IntakeTally(
        app: app, day: CalendarDay(number: today), kind: .quarantined, reason: "damaged row", detail: table,
        count: count)
    }
    try IntakeTallyTable(database).add(tallies, &registry)
  }

  // MARK: Data without bins

  private func apps(_ kind: RowCounts.Kind) throws -> [AppID] {
    try store.pool.read {
      try AppID.fetchAll($0, sql: "SELECT app FROM row_count WHERE kind = ?", arguments: [kind.rawValue])
    }
  }

  private func dropSessionsAndStreams() throws {
    for app in try apps(.session) {
      try drop(
        .session, of: app,
        "DELETE FROM session WHERE app = ?1 AND sid IN (SELECT sid FROM session WHERE app = ?1 AND received < ?2 LIMIT ?3)",
        before: today - retention.sessions)
    }
    for app in try apps(.stream) {
      try drop(
        .stream, of: app,
        """
        DELETE FROM stream WHERE app = ?1 AND (stream, start) IN (
          SELECT stream, start FROM stream WHERE app = ?1 AND received < ?2 LIMIT ?3)
        """, before: today - CumulativeToDelta.memory)
    }
  }

  private func drop(_ kind: RowCounts.Kind, of app: AppID, _ sql: String, before day: Int) throws {
    try repeatPortions { database, _ in
      if kind == .stream {
        try StreamEvictionTable(database).note(
          oldest: "SELECT start, received FROM stream WHERE app = ?1 AND received < ?2 LIMIT ?3",
          [app, day, Self.portion], of: app)
      }
      try database.execute(sql: sql, arguments: [app, day, Self.portion])
      let dropped = database.changesCount
      try RowCounts.subtract(dropped, kind, app, in: database)
      return dropped
    }
    try repeatPortions { database, registry in
      try registry.rowCounts.dropExcess(kind, app, registry.limits, portion: Self.portion, in: database)
    }
  }

  private func dropAges() throws {
    try repeatPortions(keepingIDs: true) { database, _ in
      try database.execute(
        sql: """
          DELETE FROM arrival_delay WHERE (environment, day, source, event, step) IN (
            SELECT environment, day, source, event, step FROM arrival_delay WHERE day < ? LIMIT ?)
          """, arguments: [today - ArrivalDelayTable.memory, Self.portion])
      return database.changesCount
    }
    let oldest = today - retention.ages
    try repeatPortions(keepingIDs: true) { database, _ in
      try database.execute(
        sql: """
          DELETE FROM session_age WHERE (environment, release, day, class, age, source) IN (
            SELECT environment, release, day, class, age, source FROM session_age WHERE day < ? LIMIT ?)
          """, arguments: [oldest, Self.portion])
      return database.changesCount
    }
    try repeatPortions(keepingIDs: true) { database, _ in
      try database.execute(
        sql: """
          DELETE FROM measurement_age WHERE (environment, release, day, class, age, source, metric) IN (
            SELECT environment, release, day, class, age, source, metric FROM measurement_age WHERE day < ? LIMIT ?)
          """, arguments: [oldest, Self.portion])
      return database.changesCount
    }
    // Without an index, because a search once a day costs less than an index on millions of installations.
    guard isFirstOfDay else { return }
    for app in try apps(.installation) {
      try repeatPortions(keepingIDs: true) { database, _ in
        try database.execute(
          sql: """
            DELETE FROM installation WHERE (environment, user) IN (
              SELECT environment, user FROM installation
              WHERE environment IN (SELECT id FROM environment WHERE app = ?) AND seen < ? LIMIT ?)
            """, arguments: [app, oldest, Self.portion])
        let dropped = database.changesCount
        try RowCounts.subtract(dropped, .installation, app, in: database)
        return dropped
      }
    }
  }

  private func dropDiagnostics() throws {
    let oldest = Int64(today - retention.diagnostics) * 86_400_000
    try repeatPortions { database, _ in
      let old = try Row.fetchAll(
        database, sql: "SELECT id, app FROM diagnostic WHERE received < ? LIMIT ?", arguments: [oldest, Self.portion])
      let delete = try database.cachedStatement(sql: "DELETE FROM diagnostic WHERE id = ?")
      var dropped: [AppID: Int] = [:]
      for row in old {
        try delete.execute(arguments: [row[0] as DatabaseValue])
        if let app = try? row.value(1, as: AppID.self) { dropped[app, default: 0] += 1 }
      }
      for (app, count) in dropped { try RowCounts.subtract(count, .diagnostic, app, in: database) }
      return old.count
    }
    for app in try apps(.diagnostic) {
      try repeatPortions { database, registry in
        try registry.rowCounts.dropExcess(.diagnostic, app, registry.limits, portion: Self.portion, in: database)
      }
    }
  }

  private func dropTallies() throws {
    try repeatPortions(keepingIDs: true) { database, _ in
      try database.execute(
        sql: """
          DELETE FROM tally WHERE (app, day, kind, reason, client, release) IN (
            SELECT app, day, kind, reason, client, release FROM tally WHERE day < ? LIMIT ?)
          """, arguments: [today - retention.daily, Self.portion])
      return database.changesCount
    }
    let most = store.limits.tallyRows
    let full = try store.pool.read {
      try Row.fetchAll(
        $0, sql: "SELECT app, day, count(*) FROM tally GROUP BY app, day HAVING count(*) > ?", arguments: [most])
    }
    for row in full {
      let (app, day): (AppID, Int) = (try row.value(0), try row.value(1))
      for _ in 0...row.count(2) / Self.portion {
        try portion(keepingIDs: true) { database, _ in
          try IntakeTallyTable(database).bound(app: app, day: day, most: most, portion: Self.portion)
        }
      }
    }
  }

  private func dropArrivals() throws {
    try portion(keepingIDs: true) { database, _ in
      try database.execute(
        sql: "DELETE FROM arrival WHERE start < ?", arguments: [minute - SessionArrivals.memory])
    }
  }
}
