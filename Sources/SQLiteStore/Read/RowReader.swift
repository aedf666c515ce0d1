import GRDB
import Storage
import Telemetry

/// Answers queries from the smallest table that covers them.
struct RowReader {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func rows(_ query: RowQuery) throws -> [MetricRow] {
    guard let environment = try environment(named: query.slice.environment, of: query.app) else { return [] }
    let plan = SlicePlan(query)
    try checkAge(of: query, plan, environment)
    let names = try MetricNames(database, app: query.app)
    let wanted = query.metrics.map(names.ids)
    var rows: [MetricRow] = []
    for slice in try plan.slices(app: query.app, environment: environment.id, in: database) {
      for metric in try wanted ?? metrics(of: slice.id, in: plan.table) {
        guard let reference = names.reference(of: metric) else { continue }
        try read(query, plan, slice, metric, reference, into: &rows)
      }
    }
    return rows
  }

  func inventory(of app: AppID) throws -> AppInventory {
    var inventory = AppInventory()
    for row in try Row.fetchAll(
      database, sql: "SELECT name, newest_day FROM environment WHERE app = ? AND newest_day > ?",
      arguments: [app, ReleaseLives.never])
    {
      inventory.environments[row[0]] = CalendarDay(number: row[1])
    }
    let lives = try Row.fetchAll(
      database,
      sql: """
        SELECT release.version, release.build, environment.name, first_day, last_day FROM release_life
        JOIN release ON release.id = release_life.release JOIN environment ON environment.id = environment
        WHERE release.app = ?
        """, arguments: [app])
    inventory.releases = lives.map { row in
      KnownRelease(
        release: Release(version: row[0], build: row[1]), environment: row[2], firstDay: CalendarDay(number: row[3]),
        lastDay: CalendarDay(number: row[4]))
    }
    let received = try Int64.fetchOne(
      database, sql: "SELECT last_received FROM app_state WHERE app = ?", arguments: [app])
    inventory.lastReceived = received.map(Timestamp.init(milliseconds:))
    inventory.digestedThrough = try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM watermark") ?? 0
    return inventory
  }

  func tallies(of app: AppID, in window: Window) throws -> [TallyDelta] {
    try Row.fetchAll(
      database,
      sql:
        """
        SELECT day, kind, client, release, reason, detail, count FROM tally WHERE app = ? AND day BETWEEN ? AND ?
        ORDER BY day, kind
        """,
      arguments: [app, window.from.number, window.to.number]
    ).compactMap { row in
      guard let kind = TallyKind(rawValue: row[1]) else { return nil }
      return TallyDelta(
        app: app, day: CalendarDay(number: row[0]), kind: kind, client: row[2], release: row[3], reason: row[4],
        detail: row[5], count: row[6])
    }
  }

  private func environment(named name: String, of app: AppID) throws -> (id: Int64, newest: CalendarDay)? {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT id, newest_day FROM environment WHERE app = ? AND name = ?"),
      arguments: [app, name])
    return row.map { ($0[0], CalendarDay(number: $0[1])) }
  }

  /// Cells are kept 35 days, marginals 400: an older question is refused, not answered by halves. Before the first day of
  /// an environment there is nothing to keep.
  private func checkAge(of query: RowQuery, _ plan: SlicePlan, _ environment: (id: Int64, newest: CalendarDay)) throws {
    let days = plan.kind == .cell ? Compactor.cellDays : Compactor.marginalDays
    let oldest = environment.newest - (days - 1)
    guard query.window.from < oldest else { return }
    let first = try Int.fetchOne(
      database, sql: "SELECT min(first_day) FROM release_life WHERE environment = ?", arguments: [environment.id])
    guard let first, first < oldest.number, query.window.to.number >= first else { return }
    throw StoreError.windowTooOld(oldest: oldest)
  }

  /// The metrics of a slice, one index step each instead of a walk over all of its rows.
  private func metrics(of slice: Int64, in table: String) throws -> [Int64] {
    let statement = try database.cachedStatement(sql: "SELECT min(metric) FROM \(table) WHERE slice = ? AND metric > ?")
    var found: [Int64] = []
    while let next = try Int64.fetchOne(statement, arguments: [slice, found.last ?? 0]) { found.append(next) }
    return found
  }

  private func read(
    _ query: RowQuery, _ plan: SlicePlan, _ slice: SlicePlan.Member, _ metric: Int64, _ reference: MetricReference,
    into rows: inout [MetricRow]
  ) throws {
    let labels = try LabelFilter(query, metric: metric, in: database)
    guard !labels.matchesNothing else { return }
    for source in Self.sources(query, plan) {
      try read(source, query.window, slice, metric, reference, labels, into: &rows)
    }
  }

  /// The tables that hold a query's rows, each with a condition. By the day, fine marginals are read as their sums.
  private static func sources(_ query: RowQuery, _ plan: SlicePlan) -> [String] {
    guard query.bins == .days, plan.kind != .cell else { return ["\(plan.table) WHERE"] }
    return ["\(plan.table) WHERE resolution = 0 AND", "\(DailySums.table) WHERE"]
  }

  private func read(
    _ source: String, _ window: Window, _ slice: SlicePlan.Member, _ metric: Int64, _ reference: MetricReference,
    _ labels: LabelFilter, into rows: inout [MetricRow]
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        SELECT start, resolution, label, source, body FROM \(source)
        slice = ? AND metric = ? AND start >= ? AND start < ? AND \(labels.condition)
        """)
    let cursor = try Row.fetchCursor(
      statement,
      arguments: [slice.id, metric, window.from.number * 1440, (window.to.number + 1) * 1440] + labels.arguments)
    while let row = try cursor.next() {
      guard let source = Source(rawValue: row[3]), let resolution = TimeBin.Resolution(rawValue: row[1]) else {
        throw StoreError.damaged("source or resolution of a row")
      }
      rows.append(
        MetricRow(
          metric: reference, label: labels.name(of: row[2]), source: source,
          bin: TimeBin(start: row[0], resolution: resolution), member: slice.name,
          aggregate: try RowBatch.aggregate(in: row, at: 4)))
    }
  }
}
