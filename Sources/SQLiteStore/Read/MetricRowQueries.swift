import Core
import GRDB
import Statistics
import Storage

/// A reader of query rows from the smallest table that contains them.
struct MetricRowQueries {
  let database: Database

  init(_ database: Database) { self.database = database }

  func rows(_ query: RowQuery) throws -> [MetricRow] {
    var rows: [MetricRow] = []
    try forEachRow(of: query) { rows.append($0) }
    return rows
  }

  /// Passes the rows of all members of the query's dimension except some.
  func forEachRow(
    of query: RowQuery, except members: Set<String> = [], _ body: (MetricRow) throws -> Void
  ) throws {
    try forEach(query, except: members) { row, context in
      try body(
        MetricRow(
          metric: context.metric, label: context.labels.name(of: row.label), source: try row.knownSource,
          bin: row.bin, member: context.member, aggregate: try row.read(Aggregate.init)))
    }
  }

  func forEachUsage(
    of query: RowQuery, except members: Set<String> = [], _ body: (UsageRow) throws -> Void
  ) throws {
    try forEach(query, except: members) { row, context in
      guard let usage = try row.read(Aggregate.usage) else { return }
      try body(UsageRow(member: context.member, bin: row.bin, kind: usage.kind, count: usage.count))
    }
  }

  func combinations(of app: AppID, environment name: String, release: String?) throws -> Int {
    guard let environment = try environment(named: name, of: app) else { return 0 }
    let filter = release.map(ReleaseFilter.init)
    let statement = try database.cachedStatement(
      sql: """
        SELECT count(*) FROM slice WHERE app = ? AND environment = ? AND kind = \(SliceKind.cell.number)
        """
          + (filter == nil
            ? "" : " AND release IN (SELECT id FROM release WHERE app = ? AND \(ReleaseFilter.condition))"))
    return try environment.ids.reduce(0) { sum, id in
      let names = filter.map { [app] + StatementArguments($0.arguments) } ?? []
      return sum + (try Int.fetchOne(statement, arguments: [app, id] + names) ?? 0)
    }
  }

  func forEachCorrelation(
    of query: RowQuery, except members: Set<String> = [], _ body: (DailyCorrelation) throws -> Void
  ) throws {
    try forEach(query, except: members) { row, context in
      guard let sums = try row.read(Aggregate.likeness) else { return }
      let own = CorrelationRow(metric: context.metric, source: try row.knownSource, member: context.member, sums: sums)
      try body(DailyCorrelation(bin: row.bin, row: own))
    }
  }

  /// The common values of all rows of one metric in one slice.
  private final class RowContext {
    let metric: MetricReference
    let labels: LabelFilter
    let scan: RowScan
    private(set) var member = ""
    private var slice: Int64?

    init(_ metric: MetricReference, _ labels: LabelFilter, _ scan: RowScan) {
      self.metric = metric
      self.labels = labels
      self.scan = scan
    }

    func begin(_ next: SlicePlan.Member) {
      guard slice != next.id else { return }
      slice = next.id
      member = next.name
    }
  }

  /// Passes every row of a query to `body`. For queries by day, fine rollups are read from their daily sums.
  private func forEach(
    _ query: RowQuery, except members: Set<String>, _ body: (StoredRow, RowContext) throws -> Void
  ) throws {
    guard let environment = try environment(named: query.slice.environment, of: query.app) else { return }
    let plan = SlicePlan(query)
    try checkAge(of: query, plan, environment)
    let names = try StoredMetrics(database, app: query.app)
    let wanted = query.metrics.map(names.ids)
    let ordered = wanted.map { Set($0).sorted() }
    let tables = RowTables(database)
    let table = RowTables.Table(plan.kind)
    let isDaily = query.bins != .finest && table == .rollups
    func scan(_ labels: LabelFilter) throws -> RowScan {
      try RowScan(database, table, isDaily: isDaily, query.window, labels)
    }
    let isLabelled = query.slice.label != nil || query.byLabel
    var contexts: [Int64: RowContext?] = [:]
    func context(_ metric: Int64, _ slice: SlicePlan.Member) throws -> RowContext? {
      let found: RowContext?
      if let known = contexts[metric] {
        found = known
      } else {
        found = try series(metric, query, names, isLabelled).map {
          RowContext($0.metric, $0.labels, try scan($0.labels))
        }
        contexts[metric] = .some(found)
      }
      found?.begin(slice)
      return found
    }
    for slice in try plan.slices(app: query.app, environments: environment.ids, in: database)
    where !members.contains(slice.name) {
      for metric in try wanted ?? tables.metrics(of: slice.id, in: table) {
        guard let context = try context(metric, slice) else { continue }
        try context.scan.forEach(slice.id, metric) { try body($0, context) }
      }
      // Labelled series are never packed.
      if isLabelled { continue }
      try tables.forEachPack(of: slice.id, from: query.window.from, to: query.window.to + 1) { pack, bytes in
        let bin = TimeBin(pack.day)
        var reader = DayPackReader(bytes)
        while let (key, bytes) = reader.next(of: ordered) {
          guard let context = try context(key.metric, slice), context.labels.matches(key.label) else { continue }
          try body(StoredRow(pack, bin, label: key.label, body: bytes), context)
        }
        if reader.isDamaged { throw StoreError.damaged("a day pack of slice \(slice.id)") }
        return true
      }
    }
  }

  /// The metric of an id and the labels that the query selects; nil if the query excludes the metric.
  private func series(
    _ metric: Int64, _ query: RowQuery, _ names: StoredMetrics, _ isLabelled: Bool
  ) throws -> (metric: MetricReference, labels: LabelFilter)? {
    guard let reference = names.reference(of: metric), !(query.leavesOutTotals && reference.isTotal) else { return nil }
    let labels = isLabelled ? try LabelFilter(query, metric: metric, in: database) : .total
    return labels.matchesNothing ? nil : (reference, labels)
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
    /// There are several ids for "(other)", the name of all retired environments.
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

  /// The slices of a query in the order in which their rows are passed on.
  func slices(of query: RowQuery) throws -> [SlicePlan.Member] {
    guard let environment = try environment(named: query.slice.environment, of: query.app) else { return [] }
    return try SlicePlan(query).slices(app: query.app, environments: environment.ids, in: database)
  }

  /// The ids of those of `slices` that have rows of a query's metrics in its window. Stops at the first row of each.
  func used(_ slices: [SlicePlan.Member], by query: RowQuery) throws -> Set<Int64> {
    guard !slices.isEmpty else { return [] }
    let metrics = Set(try StoredMetrics(database, app: query.app).ids(of: query.metrics ?? [])).sorted()
    let table = RowTables.Table(query.sliceKind)
    let scan = try RowScan(database, table, isDaily: table == .rollups, query.window, .total)
    let tables = RowTables(database)
    var used: Set<Int64> = []
    for slice in slices {
      var isUsed = try metrics.contains { try scan.hasRows(slice.id, $0) }
      if !isUsed {
        try tables.forEachPack(of: slice.id, from: query.window.from, to: query.window.to + 1) { _, bytes in
          var reader = DayPackReader(bytes)
          isUsed = reader.next(of: metrics) != nil
          if reader.isDamaged { throw StoreError.damaged("a day pack of slice \(slice.id)") }
          return !isUsed
        }
      }
      if isUsed { used.insert(slice.id) }
    }
    return used
  }

  /// Throws if the query's window starts before the oldest rows.
  func checkAge(of query: RowQuery) throws {
    guard let environment = try environment(named: query.slice.environment, of: query.app) else { return }
    try checkAge(of: query, SlicePlan(query), environment)
  }

  /// Throws if the window starts before the oldest rows (35 days for cells, 400 for rollups), because a partial result
  /// would be wrong. Days before the environment's first day are allowed, because they have no data.
  private func checkAge(of query: RowQuery, _ plan: SlicePlan, _ environment: Environment) throws {
    let days = try RetentionTable(database).days(plan.kind == .cell ? .fine : .daily)
    let oldest = environment.newest - (days - 1)
    guard query.window.from < oldest else { return }
    let first = try environment.ids.compactMap { id in
      try Int.fetchOne(
        database.cachedStatement(sql: "SELECT min(first_day) FROM release_life WHERE environment = ?"), arguments: [id])
    }.min()
    if let first { try query.checkAge(oldest: oldest, first: CalendarDay(number: first)) }
  }
}

extension MetricReference {
  /// Whether the metric is a counter other than sessions and users, which are needed for shares.
  fileprivate var isTotal: Bool {
    kind == .counter && self != .known(Catalogue.sessions) && self != .known(Catalogue.users)
  }
}
