import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

struct ApplyTests {
  private static func batch(_ range: ClosedRange<Int64>, tally: Int = 1) -> DigestedBatch {
    DigestedBatch(
      node: Scene.node, from: range.lowerBound, through: range.upperBound,
      tallies: [IntakeTally(app: 1, day: Scene.today, kind: .rejected, reason: "syntax", detail: "", count: tally)])
  }

  private static func rejected(_ scene: Scene) throws -> Int {
    try scene.store.tallies(of: 1, in: Window(days: 2, endingOn: Scene.today)).reduce(0) { $0 + $1.count }
  }

  @Test("a gap in sequences or a repeated batch is refused and leaves nothing behind")
  func contiguous() throws {
    let scene = try Scene()
    #expect(try scene.store.watermark(of: Scene.node) == 0)
    #expect(throws: StoreError.notContiguous(expected: 1, offered: 2)) { try scene.store.apply(Self.batch(2...3)) }
    try scene.store.apply(Self.batch(1...3))
    #expect(throws: StoreError.notContiguous(expected: 4, offered: 1)) { try scene.store.apply(Self.batch(1...3)) }
    #expect(throws: StoreError.notContiguous(expected: 4, offered: 3)) { try scene.store.apply(Self.batch(3...9)) }
    #expect(throws: StoreError.notContiguous(expected: 4, offered: 5)) { try scene.store.apply(Self.batch(5...5)) }
    try scene.store.apply(Self.batch(4...4))
    #expect(try scene.store.watermark(of: Scene.node) == 4)
    #expect(try Self.rejected(scene) == 2)
  }

  @Test("the store has a watermark for each node")
  func nodes() throws {
    let scene = try Scene()
    try scene.store.apply(Self.batch(1...3))
    var other = Self.batch(1...1)
    other.node = NodeID("00000000000000bb")
    try scene.store.apply(other)
    #expect(try scene.store.watermark(of: Scene.node) == 3)
    #expect(try scene.store.watermark(of: other.node) == 1)
  }

  @Test("applied batches are still there after the store was reopened")
  func survives() throws {
    let scene = try Scene()
    try scene.apply([Scene.record(Scene.report([Measurement(.known(400), at: .day(Scene.today), .samples([5]))]))])
    let again = try SQLiteStore(path: scene.path("plumb.db"), migrating: false)
    #expect(try again.watermark(of: Scene.node) == 1)
    let query = RowQuery(
      app: 1, slice: Slice(), window: Window(days: 1, endingOn: Scene.today), metrics: ["memory.peak"])
    #expect(try again.rows(query).count == 1)
  }

  @Test(
    "daily reads of days and many fine rows give equal sums, whatever is around them",
    arguments: [
      MetricReference.known(204), .custom(name: "cart.items", unit: .count, kind: .distribution),
    ])
  func daysAndFineRows(metric: MetricReference) throws {
    let scene = try Scene()
    var records: [[UInt8]] = []
    for day in 0..<6 {
      // None, a few and many fine rows of a day, each with and without a row of the whole day.
      for number in 0..<[0, 3, 40][day % 3] {
        let time = Timestamp(milliseconds: Int64((Scene.today - day).number) * 86_400_000 + Int64(number) * 1_800_000)
        records.append(
          Scene.record(Scene.report([Measurement(metric, at: .instant(time), .samples([Double(number + 1)]))])))
      }
      if day < 3 {
        records.append(
          Scene.record(Scene.report([Measurement(metric, at: .day(Scene.today - day), .samples([7]))])))
      }
    }
    try scene.apply(records)
    func rows(_ bins: RowQuery.Bins, days: Int) throws -> [MetricRow] {
      try scene.store.rows(
        RowQuery(
          app: 1, slice: Slice(), window: Window(days: days, endingOn: Scene.today),
          metrics: [metric.name], bins: bins))
    }
    for days in 1...8 {
      let (sums, fine) = (try rows(.days, days: days), try rows(.finest, days: days))
      #expect(sums.samples == fine.samples)
      #expect(sums.allSatisfy { $0.bin.resolution == .day })
    }
    #expect(try rows(.days, days: 8).samples == 3 + 2 * 43)
    #expect(try rows(.days, days: 8).count < rows(.finest, days: 8).count / 4)
  }

  @Test("daily sums are computed for a store that an older version filled")
  func olderStore() throws {
    let scene = try Scene()
    let records = (0..<30).map { number in
      Scene.record(
        Scene.report([
          Measurement(
            .known(204), at: .instant(Timestamp(milliseconds: Scene.now.milliseconds - Int64(number) * 7_200_000)),
            .samples([Double(number + 1)]))
        ]))
    }
    try scene.apply(records)
    let query = RowQuery(
      app: 1, slice: Slice(), window: Window(days: 9, endingOn: Scene.today),
      metrics: [Catalogue.metric(number: 204)!.name], bins: .days)
    let wanted = try scene.store.rows(query).map(\.aggregate)
    #expect(wanted.count >= 4 && wanted.count <= 10)
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write { try $0.execute(sql: "DELETE FROM daily") }
    let left = try scene.store.rows(query)
    #expect(left.samples == 0, "\(left)")
    #expect(try SQLiteStore(path: scene.path("plumb.db")).rows(query).map(\.aggregate) == wanted)
  }

  /// Which of the names stay is no promise; how many may, and that no payload is lost or counted twice, is.
  @Test("ten thousand different releases take at most five hundred names, and each payload counts once")
  func hostileReleases() throws {
    let scene = try Scene()
    let records = (0..<10_000).map { number in
      Scene.record(
        Scene.report([Measurement(.known(610), at: .day(Scene.today), .counter(1))], version: "evil-\(number)"))
    }
    for start in stride(from: 0, to: 10_000, by: 2500) { try scene.apply(Array(records[start..<start + 2500])) }
    #expect(try scene.rows(metrics: ["time.foreground"]).steps == 10_000 * 1000)
    let byRelease = try scene.rows(metrics: ["time.foreground"], dimension: .release)
    let named = byRelease.filter { $0.member != "(other)" }
    let others = byRelease.filter { $0.member == "(other)" }
    #expect((1...500).contains(Set(named.map(\.member)).count))
    #expect(named.steps + others.steps == 10_000 * 1000)
    #expect(others.steps >= 9_500 * 1000)
    #expect(try Set(scene.store.inventory(of: 1).releases.map(\.release.version)) == Set(byRelease.map(\.member)))
    let capped = try scene.store.tallies(of: 1, in: Window(days: 1, endingOn: Scene.today)).filter {
      $0.kind == .capped
    }
    #expect(capped.map(\.reason) == ["release"])
    #expect(capped.map { Int64($0.count) * 1000 } == [others.steps])
    // Another app has caps of its own.
    try scene.apply([
      Scene.record(Scene.report([Measurement(.known(610), at: .day(Scene.today), .counter(1))], version: "1.0"), app: 2)
    ])
    #expect(try scene.rows(metrics: ["time.foreground"], dimension: .release, app: 2).map(\.member) == ["1.0"])
  }

  @Test("labels, custom metrics, environments and OS versions are also capped, without loss in the sum")
  func otherCaps() throws {
    let scene = try Scene()
    let records = (0..<250).map { number in
      Scene.record(
        Scene.report(
          [
            Measurement(.known(205), label: "Screen \(number)", at: .day(Scene.today), .samples([1])),
            Measurement(
              .custom(name: "custom.\(number)", unit: .milliseconds, kind: .distribution), at: .day(Scene.today),
              .samples([1])),
          ], os: "17.\(number)"))
    }
    try scene.apply(records)
    let labels = try scene.rows(metrics: ["screen.load"], byLabel: true)
    #expect(labels.count == 201)
    #expect(labels.filter { $0.label == "(other)" }.samples == 50)
    #expect(try scene.rows(metrics: ["screen.load"]).samples == 250)
    let custom = try scene.rows().filter { $0.metric.name == "(other)" || $0.metric.name.hasPrefix("custom.") }
    #expect(custom.samples == 250)
    #expect(custom.map(\.metric.name).count == 201)
    #expect(try scene.rows(metrics: ["screen.load"], dimension: .os).samples == 250)
    let capped = try scene.store.tallies(of: 1, in: Window(days: 1, endingOn: Scene.today)).filter {
      $0.kind == .capped
    }
    let counts = Dictionary(capped.map { ($0.reason, $0.count) }, uniquingKeysWith: +)
    #expect(counts == ["label": 50, "metric": 50, "os": 50])
  }
}

extension ApplyTests {
  @Test("endlessly invented names stay (other) after the store has forgotten the first of them")
  func endlessNames() throws {
    let scene = try Scene()
    let measurements = { (range: Range<Int>) in
      range.map { Measurement(.known(205), label: "evil \($0)", at: .day(Scene.today), .samples([1])) }
    }
    for start in stride(from: 0, to: 8000, by: 2000) {
      try scene.apply([Scene.record(Scene.report(measurements(start..<start + 2000)))])
    }
    try scene.apply([Scene.record(Scene.report(measurements(0..<300) + measurements(7000..<7100)))])
    let labels = try scene.rows(metrics: ["screen.load"], byLabel: true)
    #expect(labels.count == 201)
    #expect(labels.samples == 8400)
    #expect(labels.filter { $0.label == "(other)" }.samples == 8400 - 200 - 200)
    #expect(labels.filter { $0.label == "evil 7" }.samples == 2)
  }
}
