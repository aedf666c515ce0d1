import Core
import Storage
import Synchronization

/// The rows that reads for a purpose will ask for, as far as they ask for what they asked for last time. A page asks for
/// rows about twenty times, each time when it has understood those before, and each statement takes ClickHouse at least
/// 20 ms. With the rows that are expected, the first question is nearly always the last one.
///
/// A wrong expectation costs time, and never changes an answer: rows are found by their exact query.
final class ExpectedRows: Sendable {
  private struct Learned {
    let kind: String
    let purpose: ReadPurpose
    let first: RowQuery
    let queries: [RowQuery]

    /// The number of texts in the queries, about.
    var size: Int { queries.reduce(0) { $0 + 10 + ($1.metrics?.count ?? 0) } }
  }

  /// What was learned about each kind, the latest last.
  private let learned = Mutex<[Learned]>([])

  /// The most kinds that are remembered, the most queries of one, and the most texts in all.
  private static let most = (kinds: 100, queries: 48, texts: 100_000)

  /// Remembers what was asked for a purpose, beginning with `first`.
  func note(_ queries: [RowQuery], after first: RowQuery, for purpose: ReadPurpose) {
    var distinct: [RowQuery] = []
    for query in queries where !distinct.contains(where: { $0.covers(query) }) {
      distinct.removeAll { query.covers($0) }
      distinct.append(query)
    }
    distinct = Array(distinct.prefix(Self.most.queries))
    learned.withLock { learned in
      learned.removeAll { purpose.kinds.contains($0.kind) }
      learned += purpose.kinds.map { Learned(kind: $0, purpose: purpose, first: first, queries: distinct) }
      var texts = learned.reduce(0) { $0 + $1.size }
      while learned.count > Self.most.kinds || texts > Self.most.texts { texts -= learned.removeFirst().size }
    }
  }

  /// What will be asked for a purpose after `first`, by what was asked for the most specific kind that is known.
  func queries(after first: RowQuery, for purpose: ReadPurpose) -> [RowQuery] {
    let all = learned.withLock { $0 }
    let known = purpose.kinds.lazy.compactMap { kind in all.first { $0.kind == kind } }.first
    guard let known else { return [] }
    let parameters = Dictionary(known.purpose.names.map { ($1, $0) }) { min($0, $1) }
    return known.queries.flatMap { query in
      Self.adapted(query, from: known, first, purpose) { name in
        parameters[name].flatMap { purpose.names[$0] } ?? name
      }
    }
  }

  /// What will be asked if `query`, which was not expected, asks for another release than expected.
  func queries(instead query: RowQuery, after first: RowQuery, for purpose: ReadPurpose) -> [RowQuery] {
    let all = queries(after: first, for: purpose)
    guard let release = query.slice.release else { return [] }
    func renamed(_ expected: RowQuery) -> RowQuery {
      var expected = expected
      expected.slice.release = release
      return expected
    }
    let similar = all.first { expected in
      guard let other = expected.slice.release, other != release else { return false }
      return SnapshotRows.Name(renamed(expected)) == SnapshotRows.Name(query)
        && expected.metrics.map(Set.init) == query.metrics.map(Set.init)
    }
    guard let similar else { return [] }
    return all.filter { $0.slice.release == similar.slice.release }.map { expected in
      var next = renamed(expected)
      if next.window == similar.window { next.window = query.window }
      return next
    }
  }

  /// A query of last time with the app, days and names of this time. `named`: the name of this time for one of last time.
  private static func adapted(
    _ query: RowQuery, from known: Learned, _ first: RowQuery, _ purpose: ReadPurpose, _ named: (String) -> String
  ) -> [RowQuery] {
    var query = query
    if query.app == known.first.app { query.app = first.app }
    query.metrics = query.metrics.map { $0.map(named) }
    query.slice.environment = named(query.slice.environment)
    query.slice.release = query.slice.release.map(named)
    query.slice.os = query.slice.os.map(named)
    query.slice.device = query.slice.device.map(named)
    query.slice.deviceClass = query.slice.deviceClass.map(named)
    query.slice.label = query.slice.label.map(named)
    query.slice.attribute = query.slice.attribute.flatMap { AttributeFilter(named($0.text)) }
    return days(of: query, from: known, first, purpose).map { window in
      var query = query
      query.window = window
      return query
    }
  }

  private static func days(
    of query: RowQuery, from known: Learned, _ first: RowQuery, _ purpose: ReadPurpose
  ) -> [Window] {
    let shift = first.window.to.number - known.first.window.to.number
    var moved = Window(from: query.window.from + shift, to: query.window.to + shift)
    var fixed = query.window
    if let from = purpose.from, known.purpose.from == fixed.from, from <= moved.to {
      moved.from = from
      if moved.from.number - fixed.from.number > nearby { fixed.from = min(from, fixed.to) }
    }
    guard query.bins != .window, fixed != moved else { return [moved] }
    // Other days may be those of a release, which stay where they are. To have both is cheaper than to ask again.
    let areApart =
      moved.to.number + nearby < fixed.from.number || fixed.to.number + nearby < moved.from.number
    return areApart ? [moved, fixed] : [Window(from: min(moved.from, fixed.from), to: max(moved.to, fixed.to))]
  }

  /// The number of days that may be read between the right ones.
  private static let nearby = 7
}
