import Core
import GRDB
import Ingest
import Storage

/// The deletion of an app's metrics.
struct SeriesRemoval {
  private let database: Database
  private let app: AppID

  init(_ database: Database, _ app: AppID) {
    self.database = database
    self.app = app
  }

  /// The ids of the metrics with this name and of those computed from them. Throws for counts of sessions, payloads and
  /// diagnostics, which are not measurements.
  func ids(of name: String) throws -> Set<Int64> {
    let ids = try Set(StoredMetrics(database, app: app).ids(of: [name]))
    let counts = [Catalogue.sessions, Catalogue.users, Catalogue.payloads].map(Int64.init)
    guard ids.isDisjoint(with: counts), !DiagnosticKind.allCases.contains(where: { $0.counter.name == name }) else {
      throw ErasureRefused(
        "\(name) counts sessions, payloads or diagnostics. Delete a release, days, a user or a payload instead.")
    }
    return ids.union(ids.flatMap { Self.computed[$0] ?? [] })
  }

  /// The rates that are computed from a metric when a payload is digested, by catalogue number.
  private static let computed: [Int64: [Int64]] = {
    var rates: [Int64: [Int64]] = [100: [4], 101: [4], 102: [4], 200: [201, 202], 610: [201, 202]]
    for number in Int64(700)..<750 { rates[number] = [4, 5] }
    return rates
  }()

  /// Deletes the name of a custom metric with its labels, which are not deleted with the rows of a ledger.
  func forget(_ name: String) throws {
    try database.execute(
      sql: "DELETE FROM label WHERE app = ?1 AND metric IN (SELECT id FROM metric WHERE app = ?1 AND name = ?2)",
      arguments: [app, name])
    try database.execute(sql: "DELETE FROM metric WHERE app = ? AND name = ?", arguments: [app, name])
  }

  /// Deletes the series. Returns the number of deleted rows.
  func run(_ metrics: Set<Int64>) throws -> Int {
    guard !metrics.isEmpty else { return 0 }
    let slices = try Int64.fetchAll(database, sql: "SELECT id FROM slice WHERE app = ?", arguments: [app])
    return try slices.reduce(0) { $0 + (try RowTables(database).delete(metrics, of: $1)) }
  }
}

/// The removal of sessions from the numbers: each user-day is subtracted in its old state and added without the
/// sessions.
struct SessionRemoval {
  private let database: Database
  private let app: AppID

  init(_ database: Database, _ app: AppID) {
    self.database = database
    self.app = app
  }

  /// Subtracts the sessions from `rows`, writes them, and deletes the sessions. Returns the days on which they started.
  func run(
    _ ids: [UInt64], using registry: inout NameRegistry, _ rows: inout RowChanges
  ) throws -> Set<CalendarDay> {
    guard !ids.isEmpty else { return [] }
    var ledger = SessionLedger(database, memory: registry.limits.retention.sessions)
    try ledger.remove(ids.map { SessionID(app: app, hash: $0) })
    var lifetimes = ReleaseLifetimes()
    var days: Set<CalendarDay> = []
    for state in ledger.removed {
      days.insert(state.day)
      let key = try registry.sliceKey(of: state.cell, in: database)
      lifetimes.leave(key, state.day, slice: try registry.slice(key.rollup(.release), in: database))
    }
    let counts = try ledger.counts(listsMemberships: rows.isLedger) {
      try registry.cellSlices(of: $0, in: database)
    }
    let delete = try database.cachedStatement(sql: "DELETE FROM session WHERE app = ? AND sid = ?")
    for id in ids { try delete.execute(arguments: [app, Int64(bitPattern: id)]) }
    try rows.add(counts, &registry, received: registry.receivedDay)
    try rows.write(&registry, received: registry.receivedDay, forgetsUsers: true)
    guard rows.damaged.isEmpty else { throw StoreError.damaged("rows of the deleted sessions") }
    if !rows.isLedger { try lifetimes.write(to: database) }
    try RowCounts.subtract(ids.count, .session, app, in: database)
    registry.clusterRows = [:]
    registry.goneSlices = [:]
    registry.cellSlices = [:]
    return days
  }
}

/// The arrivals of some sessions, recomputed from their records in order as if the sessions had been unknown before.
struct ArrivalReplay {
  private(set) var arrivals = ArrivalLedger()
  private let sessions: Set<UInt64>
  private var states: [UInt64: SessionState] = [:]

  init(of sessions: Set<UInt64>) { self.sessions = sessions }

  mutating func add(_ batch: DigestedBatch, _ database: Database, using registry: inout NameRegistry) throws {
    for record in batch.sessions where sessions.contains(record.id) {
      let (_, cell) = try registry.cell(registry.sliceKey(of: record.key, in: database), in: database)
      let update = SessionState(record, cell: cell)
      let old = states[record.id]
      let new = old?.merged(with: update) { $0 < $1 } ?? update
      states[record.id] = new
      try arrivals.add(new, after: old, at: record.received) { try registry.sliceKey(of: $0, in: database) }
    }
  }
}

/// The removal of single diagnostics from the numbers. Each had added one to the counter of its kind in its cell and
/// rollups.
struct DiagnosticRemoval {
  private let database: Database
  private let app: AppID

  init(_ database: Database, _ app: AppID) {
    self.database = database
    self.app = app
  }

  /// The deleted diagnostics.
  struct Deleted {
    var identities: [UInt64] = []
    var signatures: Set<Int64> = []
    var days: Set<CalendarDay> = []
  }

  /// Removes the diagnostics of a user and those of the user's sessions.
  func run(
    user: UInt64, sessions: Set<UInt64>, using registry: inout NameRegistry, _ rows: inout RowChanges
  ) throws -> Deleted {
    var deleted = Deleted()
    let found = try Row.fetchAll(
      database,
      sql: """
        SELECT id, identity, kind, cell, source, day, time, signature, user, session FROM diagnostic
        WHERE app = ? AND (user = ? OR session IS NOT NULL)
        """, arguments: [app, Int64(bitPattern: user)])
    let delete = try database.cachedStatement(sql: "DELETE FROM diagnostic WHERE id = ?")
    for row in found {
      let isUsers = try row.value(8, as: Int64?.self) == Int64(bitPattern: user)
      let session = try row.value(9, as: Int64?.self).map(UInt64.init(bitPattern:))
      guard isUsers || session.map(sessions.contains) ?? false else { continue }
      guard let kind = DiagnosticKind(rawValue: try row.value(2)) else {
        throw StoreError.damaged("a diagnostic's kind")
      }
      let day = try row.day(5)
      let cell: Int64 = try row.value(3)
      let minute = try row.value(6, as: Int64?.self).map { Int($0 / 60_000) }
      try rows.subtractOne(
        registry.metric(kind.counter, app: app, in: database), on: day, near: minute ?? day.number * 1440,
        source: row.value(4), from: registry.cellSlices(of: cell, in: database).rows, received: registry.receivedDay)
      try delete.execute(arguments: [row[0] as DatabaseValue])
      deleted.identities.append(UInt64(bitPattern: try row.value(1)))
      deleted.days.insert(day)
      if let signature: Int64 = try row.value(7) { deleted.signatures.insert(signature) }
    }
    try RowCounts.subtract(deleted.identities.count, .diagnostic, app, in: database)
    return deleted
  }
}
