import TestSupport
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// A snapshot remembers the rows that it has read. Its answers are those of the store.
struct SnapshotRowsTests {
  private static let metrics = ["launch.first_draw", "screen.load", "memory.peak", "flow.duration"]

  private static func filled(_ random: inout SeededRandom) throws -> Scene {
    let scene = try Scene()
    let records = (0..<300).map { _ in
      let day = MeasurementTime.day(Scene.today - Int.random(in: 0..<40, using: &random))
      let measurements = metrics.compactMap { name -> Measurement? in
        guard Bool.random(using: &random) else { return nil }
        return Measurement(
          MetricReference(name: name, unit: .milliseconds, kind: .distribution),
          label: name == "screen.load" ? ["Cart", "Home"].randomElement(using: &random)! : "", at: day,
          .samples([Double.random(in: 1..<5000, using: &random)]))
      }
      return Scene.record(
        Scene.report(
          measurements, version: ["4.2.0", "4.3.0"].randomElement(using: &random)!,
          os: ["17.4.1", "18.0"].randomElement(using: &random)!,
          model: ["iPhone15,2", "iPhone12,1"].randomElement(using: &random)!))
    }
    try scene.apply(records)
    return scene
  }

  private static func query(_ random: inout SeededRandom) -> RowQuery {
    let last = Scene.today - Int.random(in: 0..<10, using: &random)
    var slice = Slice()
    if Int.random(in: 0..<2, using: &random) == 0 { slice.release = "4.2.0" }
    var query = RowQuery(
      app: 1, slice: slice, window: Window(days: Int.random(in: 1..<25, using: &random), endingOn: last),
      metrics: Bool.random(using: &random) ? nil : metrics.filter { _ in Bool.random(using: &random) },
      dimension: [nil, .release, .os, .deviceClass].randomElement(using: &random)!,
      byLabel: Int.random(in: 0..<4, using: &random) == 0,
      bins: Bool.random(using: &random) ? .days : .finest)
    query.leavesOutTotals = Bool.random(using: &random)
    return query
  }

  private static func text(_ row: MetricRow) -> String {
    "\(row.metric) \(row.label) \(row.source) \(row.bin) \(row.member) \(row.aggregate)"
  }

  @Test("queries that overlap have the same rows as without a snapshot", arguments: 1...12 as ClosedRange<UInt64>)
  func same(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let scene = try Self.filled(&random)
    let queries = (0..<60).map { _ in Self.query(&random) }
    func answers() throws -> [[String]] {
      try queries.map { query in
        var streamed: [String] = []
        try scene.store.forEachRow(of: query) { streamed.append(Self.text($0)) }
        let rows = try scene.store.rows(query).map(Self.text)
        #expect(rows == streamed)
        let sums = try scene.store.likeness(query).map { "\($0)" } + scene.store.usage(query).map { "\($0)" }
        return streamed + sums
      }
    }
    let apart = try answers()
    let together = try scene.store.snapshot { try answers() }
    for (index, (one, other)) in zip(together, apart).enumerated() where one.sorted() != other.sorted() {
      Issue.record("\(queries[index]): \(one.count) rows instead of \(other.count)")
    }
    #expect(apart.contains { !$0.isEmpty })
  }

  @Test("only so many bytes of rows are kept, and the rest is read again")
  func bounded() throws {
    var random = SeededRandom(seed: 9)
    let scene = try Self.filled(&random)
    let query = RowQuery(
      app: 1, slice: Slice(), window: Window(days: 30, endingOn: Scene.today), dimension: .release, bins: .days)
    let all = try scene.store.rows(query).map(Self.text)
    for (most, isKept) in [(1_000, false), (1 << 20, true)] {
      let known = SnapshotRows(of: scene.store, most: most)
      try SnapshotRows.$current.withValue(known) {
        for _ in 1...2 {
          let rows = try scene.store.rows(query).map(Self.text)
          #expect(rows.sorted() == all.sorted())
        }
      }
      #expect((known.rows(of: query) != nil) == isKept && known.room >= 0)
    }
  }

  @Test("a snapshot within one of another store reads its own rows")
  func nested() throws {
    var random = SeededRandom(seed: 5)
    let (one, other) = (try Self.filled(&random), try Scene())
    let query = RowQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: Scene.today))
    try one.store.snapshot {
      #expect(try !one.store.rows(query).isEmpty)
      let inner = try other.store.snapshot { try other.store.rows(query) }
      #expect(inner.isEmpty)
      #expect(try other.store.rows(query).isEmpty)
    }
  }
}
