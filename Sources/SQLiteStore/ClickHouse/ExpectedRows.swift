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
    let purpose: ReadPurpose
    let first: RowQuery
    let queries: [RowQuery]

    /// The number of texts in the queries, about.
    var size: Int { queries.reduce(0) { $0 + 10 + ($1.metrics?.count ?? 0) } }
  }

  /// What was learned, the latest last.
  private let learned = Mutex<[Learned]>([])

  /// The most purposes that are remembered, the most queries of one, and the most texts in all.
  private static let most = (purposes: 100, queries: 48, texts: 100_000)

  /// Remembers what was asked for a purpose, beginning with `first`.
  func note(_ queries: [RowQuery], after first: RowQuery, for purpose: ReadPurpose) {
    var distinct: [RowQuery] = []
    for query in queries where !distinct.contains(where: { $0.covers(query) }) {
      distinct.removeAll { query.covers($0) }
      distinct.append(query)
    }
    let known = Learned(purpose: purpose, first: first, queries: Array(distinct.prefix(Self.most.queries)))
    learned.withLock { learned in
      learned.removeAll { $0.purpose.kind == purpose.kind }
      learned.append(known)
      var texts = learned.reduce(0) { $0 + $1.size }
      while learned.count > Self.most.purposes || texts > Self.most.texts { texts -= learned.removeFirst().size }
    }
  }

  /// What will be asked for a purpose after `first`.
  func queries(after first: RowQuery, for purpose: ReadPurpose) -> [RowQuery] {
    guard let known = learned.withLock({ $0.first { $0.purpose.kind == purpose.kind } }) else { return [] }
    return known.queries.map { Self.adapted($0, from: known, first, purpose) }
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

  /// A query of last time with the app, days and filters of this time.
  private static func adapted(
    _ query: RowQuery, from known: Learned, _ first: RowQuery, _ purpose: ReadPurpose
  ) -> RowQuery {
    var query = query
    if query.app == known.first.app { query.app = first.app }
    query.window = days(of: query, from: known, first, purpose)
    func named(_ name: String?) -> String? {
      guard let name, let filter = known.purpose.filters.first(where: { $0.value == name }) else { return name }
      return purpose.filters[filter.key] ?? name
    }
    query.slice.environment = named(query.slice.environment) ?? query.slice.environment
    query.slice.release = named(query.slice.release)
    query.slice.os = named(query.slice.os)
    query.slice.device = named(query.slice.device)
    query.slice.deviceClass = named(query.slice.deviceClass)
    query.slice.label = named(query.slice.label)
    return query
  }

  private static func days(
    of query: RowQuery, from known: Learned, _ first: RowQuery, _ purpose: ReadPurpose
  ) -> Window {
    let shift = first.window.to.number - known.first.window.to.number
    var window = Window(from: query.window.from + shift, to: query.window.to + shift)
    if let from = purpose.from, known.purpose.from == query.window.from, from <= window.to { window.from = from }
    // These may also be the days of a release, which stay where they are.
    guard query.bins != .window else { return window }
    let fixed = query.window
    if fixed.from < window.from, window.from.number - fixed.from.number <= Self.nearby { window.from = fixed.from }
    if window.to < fixed.to, fixed.to.number - window.to.number <= Self.nearby { window.to = fixed.to }
    return window
  }

  /// How many days more may be read to have the right ones.
  private static let nearby = 7
}
