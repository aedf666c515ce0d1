import struct Foundation.Data
import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Series of whole days stand in packs for 35 days, then in rows: what is read is the same.
struct DayPackTests {
  private static func report(_ number: Int) -> [UInt8] {
    let day = MeasurementTime.day(Scene.today - number % 6)
    return Scene.record(
      Scene.report(
        [
          Measurement(.known(100), at: day, .spans([Span(low: Double(number), high: Double(number + 50), count: 2)])),
          Measurement(.known(610), at: day, .counter(Double(number))),
          Measurement(.known(205), label: "Screen \(number % 3)", at: day, .samples([Double(number)])),
          Measurement(
            .custom(name: "cart.items", unit: .count, kind: .distribution), at: day, .samples([Double(number)])),
        ], version: "4.\(number % 4)", model: "iPhone1\(number % 3),1", source: number % 2 == 0 ? .metricKit : .native))
  }

  /// What rows of equal names add up to, in whatever order and table they stand.
  private static func sums(_ scene: Scene, dimension: Dimension? = nil, byLabel: Bool = false) throws -> [String:
    Aggregate]
  {
    try scene.rows(dimension: dimension, byLabel: byLabel).reduce(into: [:]) { sums, row in
      let name = "\(row.metric) \(row.label) \(row.source) \(row.bin.start) \(row.member)"
      if sums[name]?.merge(row.aggregate) == nil { sums[name] = row.aggregate }
    }
  }

  private static func count(_ scene: Scene, _ sql: String) throws -> Int {
    try DatabaseQueue(path: scene.path("plumb.db")).read { try Int.fetchOne($0, sql: "SELECT count(*) \(sql)") ?? 0 }
  }

  @Test("names beyond the limit are one series of a pack, also if one document has several, and nothing is lost")
  func others() throws {
    var limits = StoreLimits()
    limits.names.metrics = 3
    let scene = try Scene(limits: limits)
    func report(_ names: Range<Int>) -> Report {
      Scene.report(
        names.map {
          Measurement(
            .custom(name: "own.\($0)", unit: .milliseconds, kind: .distribution), at: .day(Scene.today - 1),
            .samples([100]))
        } + [Measurement(.known(100), at: .day(Scene.today - 1), .samples([700]))])
    }
    try scene.apply([report(0..<8)])
    try scene.apply([report(0..<8), report(4..<9)])
    let packs = try DatabaseQueue(path: scene.path("plumb.db")).read {
      try Data.fetchAll($0, sql: "SELECT body FROM day_pack")
    }
    #expect(!packs.isEmpty)
    for pack in packs {
      var keys: [SeriesKey] = []
      let isWhole = pack.withUnsafeBytes { bytes in
        DayPackReader.forEachSeries(of: bytes) { key, _ in keys.append(key) }.isEmpty
      }
      #expect(isWhole && zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    }
    for dimension in [nil, Dimension.release, .combination] {
      var counts: [String: Int] = [:]
      for row in try scene.rows(dimension: dimension) {
        guard case .distribution(let histogram) = row.aggregate else { continue }
        counts[row.metric.name == "launch.first_draw" ? "launches" : "own", default: 0] += Int(histogram.count)
      }
      #expect(counts == ["launches": 3, "own": 21], "\(String(describing: dimension))")
    }
  }

  @Test("one batch or many give equal sums, packed, and after 35 days in rows")
  func sameSums() throws {
    let (whole, parts) = (try Scene(), try Scene())
    try whole.apply((0..<60).map(Self.report))
    for start in stride(from: 0, to: 60, by: 7) {
      try parts.apply((start..<min(start + 7, 60)).reversed().map(Self.report))
    }
    let rollups = "FROM day_pack JOIN slice ON slice.id = day_pack.id >> 26 WHERE kind <> 6"
    #expect(try Self.count(whole, rollups) > 0)
    #expect(try Self.count(whole, "FROM marginal WHERE label = 0") == 0)
    for dimension in [nil, Dimension.release, .device, .deviceClass] {
      for byLabel in [false, true] {
        let sums = try Self.sums(whole, dimension: dimension, byLabel: byLabel)
        #expect(!sums.isEmpty)
        #expect(try Self.sums(parts, dimension: dimension, byLabel: byLabel) == sums)
      }
    }
    let packed = try [nil, Dimension.release, .device].map { try Self.sums(parts, dimension: $0) }
    // All six days are old enough; cells are kept as they are.
    try parts.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + 36 * 86_400_000))
    #expect(try Self.count(parts, rollups) == 0)
    #expect(try Self.count(parts, "FROM marginal WHERE label = 0") > 0)
    #expect(try [nil, Dimension.release, .device].map { try Self.sums(parts, dimension: $0) } == packed)
    #expect(try Self.count(parts, "FROM day_pack") == 0, "cells are kept for 35 days")
    // What comes late for these days goes to the rows.
    let late = Timestamp(milliseconds: Scene.now.milliseconds + 36 * 86_400_000)
    let counter = Measurement(.known(610), at: .day(Scene.today), .counter(1))
    try parts.apply([Scene.record(Scene.report([counter]), received: late)])
    #expect(try Self.count(parts, "FROM day_pack") == 0)
  }

  @Test("a pack with many custom metrics leaves new ones to rows, and no sum changes")
  func full() throws {
    var limits = StoreLimits()
    limits.names.metrics = 5_000
    let scene = try Scene(limits: limits)
    for round in 0..<12 {
      let measurements = (0..<400).map { number in
        Measurement(
          .custom(name: "metric \(round * 300 + number)", unit: .count, kind: .distribution), at: .day(Scene.today),
          .samples([Double(number)]))
      }
      try scene.apply([Scene.record(Scene.report(measurements))])
    }
    #expect(try Self.count(scene, "FROM cell WHERE resolution = 0") > 0)
    #expect(try Self.count(scene, "FROM marginal WHERE resolution = 0") > 0)
    #expect(try Self.count(scene, "FROM day_pack WHERE length(body) > 65536") == 0)
    #expect(try scene.rows().filter { $0.metric.name.hasPrefix("metric") }.samples == 12 * 400)
    let release = try scene.rows(Slice(release: "4.2.0", os: "iOS 17.4.1"))
    #expect(release.filter { $0.metric.name.hasPrefix("metric") }.samples == 12 * 400)
  }

  @Test("a pack that ends too early loses its unreadable part, which is counted, and continues")
  func damaged() throws {
    let scene = try Scene()
    try scene.apply([Self.report(0)])
    try DatabaseQueue(path: scene.path("plumb.db")).write {
      try $0.execute(sql: "UPDATE day_pack SET body = CAST(substr(body, 1, length(body) - 3) AS BLOB)")
    }
    // The flush finds it before anything is read.
    try scene.apply([Self.report(0)])
    #expect(try scene.rows(metrics: ["launch.first_draw"]).samples == 4)
    let lost = try scene.store.tallies(of: 1, in: Window(days: 1, endingOn: Scene.today))
      .filter { $0.kind == .quarantined }
    #expect(lost.reduce(0) { $0 + $1.count } == 7)
  }
}
