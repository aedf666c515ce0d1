import Core
import GRDB
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
  /// The most memory of the rows that are kept, in bytes. Rows of cells in SQLite are never kept: an app may have
  /// millions.
  private let most: Int
  private let isLedger: Bool
  private let known = Mutex(Known())

  fileprivate struct Known {
    var rows: [Name: [Part]] = [:]
    var usage: [Exact: [UsageRow]] = [:]
    var likeness: [Exact: [CorrelationRow]] = [:]
    var bytes = 0
    /// The first query for each purpose.
    var first: [String: (purpose: ReadPurpose, query: RowQuery)] = [:]
  }

  /// What all rows of a query have in common.
  struct Name: Hashable {
    let app: AppID
    let slice: Slice
    let dimension: Dimension?
    let attribute: String?
    let byLabel: Bool
    let bins: RowQuery.Bins

    init(_ query: RowQuery) {
      app = query.app
      slice = query.slice
      dimension = query.dimension
      attribute = query.attribute
      byLabel = query.byLabel
      bins = query.bins
    }
  }

  fileprivate struct Exact: Hashable {
    let name: Name
    let window: Window
    let metrics: Set<String>?

    init(_ query: RowQuery) { (name, window, metrics) = (Name(query), query.window, query.metrics.map(Set.init)) }
  }

  fileprivate struct Part {
    let query: RowQuery
    let metrics: Set<String>?
    let rows: [MetricRow]
    /// The queries that it answered, and what they were asked for.
    var answered: [(query: RowQuery, purpose: String)] = []
  }

  /// `isLedger`: whether the rows of a page are read at once, and what was asked is noted.
  init(of store: AnyObject, isLedger: Bool = false, most: Int? = nil) {
    self.store = ObjectIdentifier(store)
    self.isLedger = isLedger
    self.most = most ?? (isLedger ? 24 << 20 : 8 << 20)
  }

  /// The rows of a query; nil if not all of them are known.
  func rows(of query: RowQuery) -> [MetricRow]? {
    let purpose = isLedger ? ReadPurpose.current?.kinds.first : nil
    let name = Name(query)
    let part = known.withLock { known -> Part? in
      guard let index = known.rows[name]?.firstIndex(where: { $0.query.covers(query, $0.metrics) }) else { return nil }
      if let purpose { known.rows[name]?[index].answered.append((query, purpose)) }
      return known.rows[name]?[index]
    }
    guard let part else { return nil }
    let metrics = query.metrics.map(Set.init)
    if part.query.window == query.window, part.metrics == metrics,
      part.query.leavesOutTotals == query.leavesOutTotals
    {
      return part.rows
    }
    return part.rows.filter { Self.contains(query, metrics, $0) }
  }

  /// Whether all rows of a query are known.
  func knows(_ query: RowQuery) -> Bool {
    let name = Name(query)
    return known.withLock { $0.rows[name]?.contains { $0.query.covers(query, $0.metrics) } ?? false }
  }

  /// How many bytes of rows can still be kept.
  var room: Int { known.withLock { most - $0.bytes } }

  /// Keeps all rows of a query, which have a `size` in bytes. `isExpected`: whether they are read in advance.
  func keep(_ rows: [MetricRow], size: Int, of query: RowQuery, isExpected: Bool = false) {
    var part = Part(query: query, metrics: query.metrics.map(Set.init), rows: rows)
    if isLedger, !isExpected, let purpose = ReadPurpose.current?.kinds.first { part.answered = [(query, purpose)] }
    known.withLock { known in
      known.bytes += size
      known.rows[Name(query), default: []].append(part)
    }
  }

  /// The first query for a purpose; nil if this one is the first.
  func first(for purpose: ReadPurpose, _ query: RowQuery) -> RowQuery? {
    known.withLock { known in
      guard let kind = purpose.kinds.first else { return nil }
      if let first = known.first[kind] { return first.query }
      known.first[kind] = (purpose, query)
      return nil
    }
  }

  /// What was asked, and is still known, for each purpose.
  func asked() -> [(purpose: ReadPurpose, first: RowQuery, queries: [RowQuery])] {
    known.withLock { known in
      let answered = known.rows.values.joined().flatMap(\.answered)
      return known.first.map { kind, first in
        (first.purpose, first.query, answered.filter { $0.purpose == kind }.map(\.query))
      }
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
    if let facts { return try ledgerRows(query, facts, knownRows).forEach(body) }
    guard let knownRows, query.sliceKind != .cell else { return try readRows(query, body) }
    if let rows = knownRows.rows(of: query) { return try rows.forEach(body) }
    let room = knownRows.room
    if let rows = try keptRows(of: query) {
      let size = rows.reduce(0) { $0.saturatingAdd($1.memory) }
      if size <= room { knownRows.keep(rows, size: size, of: query) }
      return try rows.forEach(body)
    }
    var rows: [MetricRow] = []
    var size = 0
    var isKept = true
    try readRows(query) { row in
      size = size.saturatingAdd(row.memory)
      isKept = isKept && size <= room && rows.count < Self.mostKeptRows
      if isKept { rows.append(row) } else { rows = [] }
      try body(row)
    }
    if isKept { knownRows.keep(rows, size: size, of: query) }
  }

  /// The most rows of a query that are kept. Many small rows are read as fast as they are copied.
  static let mostKeptRows = 4_096

  private func keptRows(of query: RowQuery) throws -> [MetricRow]? {
    try readOnce { database in
      let queries = MetricRowQueries(database)
      return try keptRows.rows(of: query, by: queries, after: changedSlices, queries.forEachRow)
    }
  }

  private func readRows(_ query: RowQuery, _ body: (MetricRow) throws -> Void) throws {
    // Without a repair, because `body` may already have received some rows. A snapshot around it repairs.
    try readOnce { try MetricRowQueries($0).forEachRow(of: query, body) }
  }

  public func usage(_ query: RowQuery) throws -> [UsageRow] {
    let read = {
      guard self.facts == nil else { return try self.rows(query).compactMap(UsageRow.init) }
      return try self.read { database in
        let queries = MetricRowQueries(database)
        let kept = try self.keptUsage.rows(
          of: query, by: queries, after: self.changedSlices, queries.forEachUsage)
        if let kept { return kept }
        var rows: [UsageRow] = []
        try queries.forEachUsage(of: query) { rows.append($0) }
        return rows
      }
    }
    return try knownRows?.remembered(query, \.usage, read) ?? read()
  }

  public func members(of query: RowQuery) throws -> Set<String> {
    guard facts == nil, query.sliceKind != .cell, query.metrics == UsageRow.metrics else {
      return Set(try usage(query).lazy.map(\.member))
    }
    return try read { try keptMembers.members(of: query, by: MetricRowQueries($0), after: changedSlices) }
  }

  public func likeness(_ query: RowQuery) throws -> [CorrelationRow] {
    let read = {
      guard self.facts == nil else { return CorrelationSet(try self.rows(query).compactMap(CorrelationRow.init)).rows }
      return try self.read { database in
        let queries = MetricRowQueries(database)
        let kept = try self.keptCorrelations.rows(
          of: query, by: queries, after: self.changedSlices, queries.forEachCorrelation)
        if let kept { return CorrelationSet(kept.lazy.map(\.row)).rows }
        var found = CorrelationSet()
        try queries.forEachCorrelation(of: query) { found.add($0.row) }
        return found.rows
      }
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
      guard knownRows == nil else { return try body() }
      let rows = SnapshotRows(of: self, isLedger: facts != nil)
      let answer = try SnapshotRows.$current.withValue(rows, operation: body)
      for (purpose, first, queries) in rows.asked() { expected.note(queries, after: first, for: purpose) }
      return answer
    }
  }
}

extension RowQuery {
  /// Whether the rows of this query contain all rows of another.
  func covers(_ query: RowQuery) -> Bool {
    SnapshotRows.Name(self) == SnapshotRows.Name(query) && covers(query, metrics.map(Set.init))
  }

  /// Whether this is true of a query with the same `SnapshotRows.Name`. `names`: the own metrics.
  fileprivate func covers(_ query: RowQuery, _ names: Set<String>?) -> Bool {
    let isWithin = window.from <= query.window.from && query.window.to <= window.to
    return (bins == .window ? window == query.window : isWithin) && (!leavesOutTotals || query.leavesOutTotals)
      && (names.map { names in query.metrics.map { names.isSuperset(of: $0) } ?? false } ?? true)
  }
}

extension MetricRow {
  /// The row's memory in bytes, about.
  var memory: Int {
    let own = MemoryLayout<MetricRow>.stride
    return switch aggregate {
    case .distribution(let values): own + 24 * values.partCount
    case .users(let users): own + users.all.memory + users.crashed.memory
    case .counter, .pair, .sessions: own
    }
  }
}
