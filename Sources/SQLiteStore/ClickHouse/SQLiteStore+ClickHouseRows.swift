public import Core
import GRDB
import Storage
import Synchronization

extension SQLiteStore {
  /// Whether this database is a ledger: the metric rows are in ClickHouse, all other data is here.
  public var isLedger: Bool { facts != nil }

  /// Whether some rows of a ledger have not been moved to ClickHouse yet.
  public var isMoving: Bool { moving.withLock { $0 } }

  /// Throws unless the database is a ledger or empty. A store with rows becomes a ledger only with `beginMoving`.
  static func checkLedger(_ pool: DatabasePool) throws {
    let isOther = try pool.read { database in
      try database.tableExists("migration") && !Migrator.isLedger(database)
    }
    if isOther { throw SchemaError.hasRows }
  }

  /// The rows of a query in a ledger: those that were sent, and during a move those that are still here. `known`: the
  /// rows of the enclosing snapshot, to which those are added that are expected to be asked for next.
  func ledgerRows(_ query: RowQuery, _ facts: any FactTable, _ known: SnapshotRows?) throws -> [MetricRow] {
    try ConsistentReads.begin(facts)
    try checkAge(of: query, facts)
    guard let known else { return try ledgerRows([query], facts)[0] }
    if let rows = known.rows(of: query) { return rows }
    var queries = [query]
    if let purpose = ReadPurpose.current {
      let next =
        if let first = known.first(for: purpose, query) {
          expected.queries(instead: query, after: first, for: purpose)
        } else {
          expected.queries(after: query, for: purpose)
        }
      queries += try next.filter { next in
        guard !query.covers(next), !known.knows(next) else { return false }
        do {
          try checkAge(of: next, facts)
          return true
        } catch StoreError.windowTooOld {
          return false
        }
      }
    }
    let answers = try ledgerRows(queries, facts)
    for (index, (asked, rows)) in zip(queries, answers).enumerated() {
      let size = rows.reduce(0) { $0.saturatingAdd($1.memory) }
      if size <= known.room { known.keep(rows, size: size, of: asked, isExpected: index > 0) }
    }
    return answers[0]
  }

  private func ledgerRows(_ queries: [RowQuery], _ facts: any FactTable) throws -> [[MetricRow]] {
    let sent = try facts.rows(queries)
    guard isMoving else { return sent }
    return try zip(queries, sent).map { query, rows in
      var own = query
      // Stored daily sums may include rows that have moved to ClickHouse.
      own.bins = .finest
      return try rows + read { try MetricRowQueries($0).rows(own) }
    }
  }

  private func checkAge(of query: RowQuery, _ facts: any FactTable) throws {
    let lives = try facts.releases(of: query.app).filter { $0.environment == query.slice.environment }
    guard let newest = lives.map(\.lastDay).max(), let first = lives.map(\.firstDay).min() else { return }
    let days = query.sliceKind == .cell ? limits.retention.fine : limits.retention.daily
    try query.checkAge(oldest: newest - (days - 1), first: first)
  }

  /// The rows that a deletion removes from the ClickHouse servers; nil for a deletion that subtracts.
  func ledgerPart(_ scope: ErasureScope, _ app: AppID) throws -> FactPart? {
    switch scope {
    case .app: return FactPart(app: app)
    case .days(let window): return FactPart(app: app, days: DayRemoval.ranges(of: Set(window.allDays)))
    case .metric(let name):
      return try read { database in
        let names = try StoredMetrics(database, app: app)
        let metrics = try MetricRemoval(database, app).ids(of: name).compactMap { names.reference(of: $0)?.name }
        return FactPart(app: app, metrics: Set(metrics + [name]).sorted())
      }
    case .user: return nil
    case .label, .payload, .release:
      throw ErasureRefused(
        """
        Nothing was deleted. The rows of this folder are in ClickHouse, where sums cannot be recounted from the \
        journal. Possible deletions: a user, a metric with all labels, days, or the app.
        """)
    }
  }

  /// Deletes expired rows on the ClickHouse servers of a ledger.
  public func expireRows(now: Timestamp) throws { try facts?.expire(limits.retention, today: now.day()) }

  /// The builds of an app in a ledger.
  func ledgerReleases(of app: AppID, _ facts: any FactTable) throws -> [KnownRelease] {
    try ConsistentReads.begin(facts)
    let moving = isMoving ? try read { try MetricRowQueries($0).inventory(of: app).releases } : []
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
  /// Throws if the window starts before the oldest day with complete data, because a partial result would be wrong.
  /// Days before the environment's first day are allowed, because they have no data.
  func checkAge(oldest: CalendarDay, first: CalendarDay) throws {
    guard window.from < oldest, first < oldest, window.to >= first else { return }
    throw StoreError.windowTooOld(oldest: oldest)
  }
}
