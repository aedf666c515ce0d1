import GRDB
import Storage
import Synchronization
import Telemetry

extension SQLiteStore {
  /// Whether the rows are elsewhere.
  public var isLedger: Bool { facts != nil }

  /// Throws for a database that a ledger cannot be: a store, unless it is empty. A store becomes one with `beginMoving`.
  static func checkLedger(_ pool: DatabasePool) throws {
    let isOther = try pool.read { database in
      guard try database.tableExists("migration") else { return false }
      return try !database.tableExists("outbox")
    }
    if isOther { throw SchemaError.hasRows }
  }

  /// The rows of a query in a ledger: those that were sent, and those that are still here of a store that is being moved.
  func ledgerRows(_ query: RowQuery, _ facts: any FactTable) throws -> [MetricRow] {
    let lives = try facts.releases(of: query.app).filter { $0.environment == query.slice.environment }
    if let newest = lives.map(\.lastDay).max(), let first = lives.map(\.firstDay).min() {
      let days = query.scope == .cell ? limits.retention.fine : limits.retention.daily
      try query.checkAge(oldest: newest - (days - 1), first: first)
    }
    return try facts.rows(query) + (moving.withLock { $0 } ? read { try MetricRowQueries($0).rows(query) } : [])
  }

  /// The builds of an app in a ledger.
  func ledgerReleases(of app: AppID, _ facts: any FactTable) throws -> [KnownRelease] {
    let moving = moving.withLock { $0 } ? try read { try MetricRowQueries($0).inventory(of: app).releases } : []
    var found: [KnownRelease] = try facts.releases(of: app)
    for life in moving {
      if let index = found.firstIndex(where: { $0.release == life.release && $0.environment == life.environment }) {
        found[index].firstDay = min(found[index].firstDay, life.firstDay)
        found[index].lastDay = max(found[index].lastDay, life.lastDay)
      } else {
        found.append(life)
      }
    }
    return found
  }
}

extension RowQuery {
  /// Throws if the window starts before the oldest day of which everything is kept, because a partial result would be
  /// wrong. Days before the environment's first one are allowed, because they have no data.
  func checkAge(oldest: CalendarDay, first: CalendarDay) throws {
    guard window.from < oldest, first < oldest, window.to >= first else { return }
    throw StoreError.windowTooOld(oldest: oldest)
  }
}
