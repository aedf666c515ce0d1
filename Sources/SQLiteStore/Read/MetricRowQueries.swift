import Bytes
import GRDB
import Storage
import Telemetry

/// Reads the rows of queries from the smallest table that contains them.
struct MetricRowQueries {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func rows(_ query: RowQuery) throws -> [MetricRow] {
    var rows: [MetricRow] = []
    try forEachRow(of: query) { rows.append($0) }
    return rows
  }

  func forEachRow(of query: RowQuery, _ body: (MetricRow) throws -> Void) throws {
    try forEach(query) { row, context in
      try body(
        MetricRow(
          metric: context.metric, label: context.labels.name(of: try row.value(2)), source: try Self.source(of: row),
          bin: try Self.bin(of: row), member: context.member, aggregate: try RowBatch.aggregate(in: row, at: 4)))
    }
  }

  func usage(_ query: RowQuery) throws -> [UsageRow] {
    var rows: [UsageRow] = []
    try forEach(query) { row, context in
      let usage = try RowBatch.body(in: row, at: 4) { reader throws(DamagedBytes) in try Aggregate.usage(from: &reader)
      }
      guard let usage else { return }
      rows.append(UsageRow(member: context.member, bin: try Self.bin(of: row), kind: usage.kind, count: usage.count))
    }
    return rows
  }

  /// The column values that all rows of one statement share.
  private struct RowContext {
    let member: String
    let metric: MetricReference
    let labels: LabelFilter
  }

  /// Passes every row of a query to `body`: its start, resolution, label, source and body.
  private func forEach(_ query: RowQuery, _ body: (Row, RowContext) throws -> Void) throws {
    guard let environment = try environment(named: query.slice.environment, of: query.app) else { return }
    let plan = SlicePlan(query)
    try checkAge(of: query, plan, environment)
    let names = try StoredMetrics(database, app: query.app)
    let wanted = query.metrics.map(names.ids)
    for slice in try plan.slices(app: query.app, environments: environment.ids, in: database) {
      for metric in try wanted ?? metrics(of: slice.id, in: plan.table) {
        guard let reference = names.reference(of: metric) else { continue }
        if query.leavesOutTotals, reference.isTotal { continue }
        let labels = try LabelFilter(query, metric: metric, in: database)
        guard !labels.matchesNothing else { continue }
        let context = RowContext(member: slice.name, metric: reference, labels: labels)
        for source in Self.sources(query, plan) {
          try forEach(in: source, query.window, slice.id, metric, labels) { try body($0, context) }
        }
      }
    }
  }

  func inventory(of app: AppID) throws -> AppInventory {
    var inventory = AppInventory()
    let environments = try database.cachedStatement(
      sql: "SELECT name, newest_day FROM environment WHERE app = ? AND newest_day > ?")
    for row in try Row.fetchAll(environments, arguments: [app, ReleaseLifetimes.never]) {
      inventory.environments[try row.value(0)] = try row.day(1)
    }
    let lives = try database.cachedStatement(
      sql: """
        SELECT release.version, release.build, environment.name, first_day, last_day FROM release_life
        JOIN release ON release.id = release_life.release JOIN environment ON environment.id = environment
        WHERE release.app = ?
        """)
    inventory.releases = try Row.fetchAll(lives, arguments: [app]).map { row in
      KnownRelease(
        release: Release(version: try row.value(0), build: try row.value(1)), environment: try row.value(2),
        firstDay: try row.day(3),
        lastDay: try row.day(4))
    }
    let received = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT last_received FROM app_state WHERE app = ?"), arguments: [app])
    inventory.lastReceived = received.map(Timestamp.init(milliseconds:))
    inventory.digestedThrough =
      try Int64.fetchOne(
        database.cachedStatement(
          sql:
            "SELECT coalesce((SELECT min(sequence) FROM behind WHERE app = ?), (SELECT max(sequence) FROM watermark))"
        ), arguments: [app]) ?? 0
    return inventory
  }

  private struct Environment {
    /// Several ids for "(other)", the name of all retired environments.
    var ids: [Int64]
    var newest: CalendarDay
  }

  private func environment(named name: String, of app: AppID) throws -> Environment? {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT id, newest_day FROM environment WHERE app = ? AND name = ? ORDER BY retired"),
      arguments: [app, name])
    guard let newest = try rows.map({ try $0.day(1) }).max() else { return nil }
    return Environment(ids: try rows.map { try $0.value(0) }, newest: newest)
  }

  /// Throws if the window starts before the oldest rows (35 days for cells, 400 for rollups), because a partial result
  /// would be wrong. Days before the environment's first one are allowed, because they have no data.
  private func checkAge(of query: RowQuery, _ plan: SlicePlan, _ environment: Environment) throws {
    let days = plan.kind == .cell ? Compactor.cellDays : Compactor.rollupDays
    let oldest = environment.newest - (days - 1)
    guard query.window.from < oldest else { return }
    let first = try environment.ids.compactMap { id in
      try Int.fetchOne(
        database.cachedStatement(sql: "SELECT min(first_day) FROM release_life WHERE environment = ?"), arguments: [id])
    }.min()
    guard let first, first < oldest.number, query.window.to.number >= first else { return }
    throw StoreError.windowTooOld(oldest: oldest)
  }

  /// The metrics of a slice, found with one index step each instead of a scan of all its rows.
  private func metrics(of slice: Int64, in table: String) throws -> [Int64] {
    let statement = try database.cachedStatement(sql: "SELECT min(metric) FROM \(table) WHERE slice = ? AND metric > ?")
    var found: [Int64] = []
    while let next = try Int64.fetchOne(statement, arguments: [slice, found.last ?? 0]) { found.append(next) }
    return found
  }

  /// The tables that contain a query's rows, each with a condition. For days, fine rollups are read from their daily
  /// sums.
  private static func sources(_ query: RowQuery, _ plan: SlicePlan) -> [String] {
    guard query.bins == .days, plan.kind != .cell else { return ["\(plan.table) WHERE"] }
    return ["\(plan.table) WHERE resolution = 0 AND", "\(DailySumTable.table) WHERE"]
  }

  private func forEach(
    in source: String, _ window: Window, _ slice: Int64, _ metric: Int64, _ labels: LabelFilter,
    _ body: (Row) throws -> Void
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        SELECT start, resolution, label, source, body FROM \(source)
        slice = ? AND metric = ? AND start >= ? AND start < ? AND \(labels.condition)
        """)
    let cursor = try Row.fetchCursor(
      statement,
      arguments: [slice, metric, window.from.number * 1440, (window.to.number + 1) * 1440] + labels.arguments)
    while let row = try cursor.next() { try body(row) }
  }

  private static func bin(of row: Row) throws -> TimeBin {
    guard let resolution = TimeBin.Resolution(rawValue: try row.value(1)) else {
      throw StoreError.damaged("resolution of a row")
    }
    return TimeBin(start: try row.minute(0), resolution: resolution)
  }

  private static func source(of row: Row) throws -> Source {
    guard let source = Source(rawValue: try row.value(3)) else { throw StoreError.damaged("source of a row") }
    return source
  }
}

extension MetricReference {
  /// Whether the metric is a counter other than sessions and users, which are needed for shares.
  fileprivate var isTotal: Bool {
    kind == .counter && self != .known(Catalogue.sessions) && self != .known(Catalogue.users)
  }
}
