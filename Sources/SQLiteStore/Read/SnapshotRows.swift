import Core
import Statistics
public import Storage
import Synchronization

/// The rows that were read in one snapshot. A page asks for many of them several times, mostly for fewer days or fewer
/// metrics than before: a snapshot shows one state, so they need not be read again.
final class SnapshotRows: Sendable {
  /// The rows of the enclosing snapshot.
  @TaskLocal static var current: SnapshotRows?

  /// The store from which the rows were read.
  let store: ObjectIdentifier
  /// The most memory of the rows that are kept, in bytes. Rows of cells are never kept: an app may have millions.
  private let most: Int
  private let known = Mutex(Known())

  fileprivate struct Known {
    var rows: [Name: [Part]] = [:]
    var usage: [Exact: [UsageRow]] = [:]
    var likeness: [Exact: [CorrelationRow]] = [:]
    var bytes = 0
  }

  /// What all rows of a query have in common.
  fileprivate struct Name: Hashable {
    let app: AppID
    let slice: Slice
    let dimension: Dimension?
    let attribute: String?
    let byLabel: Bool
    let isDaily: Bool

    init(_ query: RowQuery) {
      app = query.app
      slice = query.slice
      dimension = query.dimension
      attribute = query.attribute
      byLabel = query.byLabel
      isDaily = query.bins == .days
    }
  }

  fileprivate struct Exact: Hashable {
    let name: Name
    let window: Window
    let metrics: Set<String>?

    init(_ query: RowQuery) { (name, window, metrics) = (Name(query), query.window, query.metrics.map(Set.init)) }
  }

  fileprivate struct Part {
    let window: Window
    let metrics: Set<String>?
    let leavesOutTotals: Bool
    let rows: [MetricRow]

    /// Whether the part contains all rows of a query.
    func covers(_ query: RowQuery) -> Bool {
      window.from <= query.window.from && query.window.to <= window.to && (!leavesOutTotals || query.leavesOutTotals)
        && (metrics.map { known in query.metrics.map { known.isSuperset(of: $0) } ?? false } ?? true)
    }
  }

  init(of store: AnyObject, most: Int = 8 << 20) {
    self.store = ObjectIdentifier(store)
    self.most = most
  }

  /// The rows of a query; nil if not all of them are known.
  func rows(of query: RowQuery) -> [MetricRow]? {
    guard let part = known.withLock({ $0.rows[Name(query)]?.first { $0.covers(query) } }) else { return nil }
    let metrics = query.metrics.map(Set.init)
    if part.window == query.window, part.metrics == metrics, part.leavesOutTotals == query.leavesOutTotals {
      return part.rows
    }
    return part.rows.filter { Self.contains(query, metrics, $0) }
  }

  /// How many bytes of rows can still be kept.
  var room: Int { known.withLock { most - $0.bytes } }

  /// Keeps all rows of a query, which have a `size` in bytes.
  func keep(_ rows: [MetricRow], size: Int, of query: RowQuery) {
    let part = Part(
      window: query.window, metrics: query.metrics.map(Set.init), leavesOutTotals: query.leavesOutTotals, rows: rows)
    known.withLock { known in
      known.bytes += size
      known.rows[Name(query), default: []].append(part)
    }
  }

  private static func contains(_ query: RowQuery, _ metrics: Set<String>?, _ row: MetricRow) -> Bool {
    if query.leavesOutTotals, case .counter = row.aggregate { return false }
    return query.window.from <= row.bin.day && row.bin.day <= query.window.to
      && metrics?.contains(row.metric.name) ?? true
  }

  /// The result of exactly this query, which `read` reads unless it is known.
  fileprivate func remembered<Row: Sendable>(
    _ query: RowQuery, _ place: WritableKeyPath<Known, [Exact: [Row]]> & Sendable, _ read: () throws -> [Row]
  ) throws -> [Row] {
    let exact = Exact(query)
    if let rows = known.withLock({ $0[keyPath: place][exact] }) { return rows }
    let rows = try read()
    known.withLock { known in
      let size = rows.count * MemoryLayout<Row>.stride
      guard known.bytes + size <= most else { return }
      known.bytes += size
      known[keyPath: place][exact] = rows
    }
    return rows
  }
}

extension SQLiteStore {
  public func rows(_ query: RowQuery) throws -> [MetricRow] {
    // Without a snapshot, all rows are read again if damaged ones had to be quarantined.
    if facts == nil, knownRows == nil { return try read { try MetricRowQueries($0).rows(query) } }
    var rows: [MetricRow] = []
    try forEachRow(of: query) { rows.append($0) }
    return rows
  }

  public func forEachRow(of query: RowQuery, _ body: (MetricRow) throws -> Void) throws {
    guard let knownRows, query.sliceKind != .cell else { return try readRows(query, body) }
    if let rows = knownRows.rows(of: query) { return try rows.forEach(body) }
    let room = knownRows.room
    var rows: [MetricRow] = []
    var size = 0
    try readRows(query) { row in
      size = size.saturatingAdd(row.memory)
      if size <= room { rows.append(row) } else { rows = [] }
      try body(row)
    }
    if size <= room { knownRows.keep(rows, size: size, of: query) }
  }

  private func readRows(_ query: RowQuery, _ body: (MetricRow) throws -> Void) throws {
    if let facts { return try ledgerRows(query, facts).forEach(body) }
    // Without a repair, because `body` may already have received some rows. A snapshot around it repairs.
    try readOnce { try MetricRowQueries($0).forEachRow(of: query, body) }
  }

  public func usage(_ query: RowQuery) throws -> [UsageRow] {
    let read = {
      guard self.facts == nil else { return try self.rows(query).compactMap(UsageRow.init) }
      return try self.read { try MetricRowQueries($0).usage(query) }
    }
    return try knownRows?.remembered(query, \.usage, read) ?? read()
  }

  public func likeness(_ query: RowQuery) throws -> [CorrelationRow] {
    let read = {
      guard self.facts == nil else { return try self.rows(query).compactMap(CorrelationRow.init) }
      return try self.read { try MetricRowQueries($0).likeness(query) }
    }
    return try knownRows?.remembered(query, \.likeness, read) ?? read()
  }

  /// The rows that the enclosing snapshot of this store has read; nil without a snapshot.
  private var knownRows: SnapshotRows? {
    SnapshotRows.current.flatMap { $0.store == ObjectIdentifier(self) ? $0 : nil }
  }

  /// Runs `body` in one transaction, with the rows that it reads.
  func remembering<Answer>(_ body: () throws -> Answer) throws -> Answer {
    try read { _ in
      try knownRows == nil ? SnapshotRows.$current.withValue(SnapshotRows(of: self), operation: body) : body()
    }
  }
}

extension MetricRow {
  /// The row's memory in bytes, about.
  fileprivate var memory: Int {
    let own = MemoryLayout<MetricRow>.stride
    return switch aggregate {
    case .distribution(let values): own + 24 * values.partCount
    // Two sets of hashes.
    case .users: own + 16 * UserSet.exactLimit
    case .counter, .pair, .sessions: own
    }
  }
}
