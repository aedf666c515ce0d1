import Core
import GRDB
import Storage

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
    var ledger = SessionUpdateBatch(database, memory: registry.limits.retention.sessions)
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
  private(set) var arrivals = SessionArrivals()
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
      arrivals.add(
        new, after: old, at: record.received, in: try registry.sliceKey(of: new.cell, in: database))
    }
  }
}
