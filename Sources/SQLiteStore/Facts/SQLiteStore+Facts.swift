public import Core
import GRDB
import Storage
import Synchronization

extension SQLiteStore {
  /// Whether the rows are elsewhere.
  public var isLedger: Bool { facts != nil }

  /// Whether a ledger still has rows of its own, of the store that it was.
  public var isMoving: Bool { moving.withLock { $0 } }

  /// Throws for a database that a ledger cannot be: a store, unless it is empty. A store becomes one with `beginMoving`.
  static func checkLedger(_ pool: DatabasePool) throws {
    let isOther = try pool.read { database in
      try database.tableExists("migration") && !Migrator.isLedger(database)
    }
    if isOther { throw SchemaError.hasRows }
  }

  /// The rows of a query in a ledger: those that were sent, and those that are still here of a store that is being moved.
  func ledgerRows(_ query: RowQuery, _ facts: any FactTable) throws -> [MetricRow] {
    try FactReads.begin(facts)
    let lives = try facts.releases(of: query.app).filter { $0.environment == query.slice.environment }
    if let newest = lives.map(\.lastDay).max(), let first = lives.map(\.firstDay).min() {
      let days = query.scope == .cell ? limits.retention.fine : limits.retention.daily
      try query.checkAge(oldest: newest - (days - 1), first: first)
    }
    guard isMoving else { return try facts.rows(query) }
    var own = query
    // Sums by day are of rows that may have left.
    own.bins = .finest
    return try facts.rows(query) + read { try MetricRowQueries($0).rows(own) }
  }

  /// The rows that a deletion takes from the servers; nil for one whose rows are subtracted.
  func ledgerPart(_ scope: ErasureScope, _ app: AppID) throws -> FactPart? {
    switch scope {
    case .app: return FactPart(app: app)
    case .days(let window): return FactPart(app: app, days: DayWipe.ranges(of: Set(window.allDays)))
    case .metric(let name):
      return try read { database in
        let names = try StoredMetrics(database, app: app)
        let metrics = try SeriesRemoval(database, app).ids(of: name).compactMap { names.reference(of: $0)?.name }
        return FactPart(app: app, metrics: Set(metrics + [name]).sorted())
      }
    case .user: return nil
    case .label, .payload, .release:
      throw ErasureRefused(
        """
        Nothing was deleted. The rows of this folder are in ClickHouse, where sums are not counted again from the journal. \
        What can be deleted there: a user, a metric with all labels, days, or the app.
        """)
    }
  }

  /// Deletes what is past its time on the servers with the rows of a ledger.
  public func expireRows(now: Timestamp) throws { try facts?.expire(limits.retention, today: now.day()) }

  /// The builds of an app in a ledger.
  func ledgerReleases(of app: AppID, _ facts: any FactTable) throws -> [KnownRelease] {
    try FactReads.begin(facts)
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
  /// Throws if the window starts before the oldest day of which everything is kept, because a partial result would be
  /// wrong. Days before the environment's first one are allowed, because they have no data.
  func checkAge(oldest: CalendarDay, first: CalendarDay) throws {
    guard window.from < oldest, first < oldest, window.to >= first else { return }
    throw StoreError.windowTooOld(oldest: oldest)
  }
}

/// Reads of rows that are on other servers, which know no transactions: they are of one state if nothing was stored between
/// the first and the last of them.
final class FactReads: Sendable {
  /// Those of the snapshot that this thread is in.
  @TaskLocal private static var current: FactReads?

  /// How often a body is called at most, and how long it may take to be called again: what is stored every ten seconds would
  /// else keep a slow page from ever being shown.
  private static let attempts = 3
  private static let longest = Duration.seconds(2)

  /// The state at the first read; nil before it, because much is read without any rows.
  private let first = Mutex<FactTableState?>(nil)

  /// Calls `body` until what it read is of one state, and returns its last answer.
  static func settled<Answer>(_ facts: any FactTable, _ body: () throws -> Answer) throws -> Answer {
    guard current == nil else { return try body() }
    for _ in 1..<attempts {
      let reads = FactReads()
      let start = ContinuousClock.now
      let answer = try $current.withValue(reads, operation: body)
      guard let first = reads.first.withLock({ $0 }), ContinuousClock.now - start < longest,
        try facts.state() != first
      else { return answer }
    }
    return try body()
  }

  /// Notes the state before the first read of a snapshot.
  static func begin(_ facts: any FactTable) throws {
    guard let current, current.first.withLock({ $0 == nil }) else { return }
    let state = try facts.state()
    current.first.withLock { $0 = state }
  }
}
