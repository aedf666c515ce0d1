import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// What a store writes for values of an app's attribute, and how many it keeps.
struct AttributeStoreTests {
  private static func payload(
    _ value: String?, name: String = "experiment", version: String = "4.2.0", model: String = "iPhone15,2",
    at received: Timestamp = Scene.now
  ) -> [UInt8] {
    var report = Scene.report(
      [Measurement(.known(610), at: .day(received.day()), .counter(1))], version: version, model: model)
    report.attributes = [value.flatMap { AppAttribute(name: name, value: $0) }].compactMap { $0 }
    return Scene.record(report, received: received)
  }

  /// Seconds by value; `slice` narrows further.
  private static func counts(
    _ scene: Scene, _ slice: Slice = Slice(), name: String = "experiment"
  ) throws -> [String: Int64] {
    var query = RowQuery(
      app: 1, slice: slice, window: Window(days: 30, endingOn: Scene.today + 1), metrics: ["time.foreground"],
      dimension: .attribute)
    query.attribute = name
    return try scene.store.rows(query).reduce(into: [:]) { counts, row in
      if case .counter(let sum) = row.aggregate { counts[row.member, default: 0] += sum.steps / 1000 }
    }
  }

  private static func tables(_ scene: Scene) throws -> [String: Int] {
    try DatabaseQueue(path: scene.path("plumb.db")).read { database in
      let names = ["slice", "cell", "marginal", "daily", "day_pack", "attribute"]
      return try names.reduce(into: [:]) { found, name in
        found[name] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(name)")
      }
    }
  }

  @Test("without an attribute value no row, slice or name is written beyond the usual ones")
  func noCost() throws {
    let scene = try Scene()
    try scene.apply((0..<20).map { _ in Self.payload(nil) })
    // A cell and its six rollups, each with a pack of the day.
    #expect(
      try Self.tables(scene) == ["slice": 7, "cell": 0, "marginal": 0, "daily": 0, "day_pack": 7, "attribute": 0])
    try scene.apply([Self.payload("a")])
    // Another cell, and rollups of the value, alone, by release and by class.
    #expect(
      try Self.tables(scene) == ["slice": 11, "cell": 0, "marginal": 0, "daily": 0, "day_pack": 11, "attribute": 1])
  }

  @Test("attribute values add up to what was sent, alone, by release and by class")
  func slices() throws {
    let scene = try Scene()
    var records: [[UInt8]] = []
    for (value, count) in [("a", 3), ("b", 5), (nil, 7)] as [(String?, Int)] {
      for version in ["4.1.0", "4.2.0"] {
        for model in ["iPhone15,2", "iPhone12,1"] {
          records += (0..<count).map { _ in Self.payload(value, version: version, model: model) }
        }
      }
    }
    try scene.apply(records)
    #expect(try Self.counts(scene) == ["a": 12, "b": 20])
    #expect(try Self.counts(scene, Slice(release: "4.1.0")) == ["a": 6, "b": 10])
    #expect(try Self.counts(scene, Slice(device: "iPhone12,1")) == ["a": 6, "b": 10])
    let not = AttributeFilter(name: "experiment", value: "a", isExcluding: true)
    #expect(try Self.counts(scene, Slice(attribute: not)) == ["b": 20])
    #expect(try Self.counts(scene, name: "region") == [:])
    #expect(try scene.rows(Slice(), metrics: ["time.foreground"]).map(\.aggregate).count == 1)
  }

  @Test("attribute values beyond the limit are (other), no sum changes, and a frequent one is admitted")
  func cap() throws {
    var limits = StoreLimits()
    limits.names.attributes = 10
    let scene = try Scene(limits: limits)
    try scene.apply((0..<10).flatMap { value in (0..<3).map { _ in Self.payload("v\(value)") } })
    // Hostile values, each once, in a thousand batches' worth.
    for round in 0..<10 { try scene.apply((0..<500).map { Self.payload("evil-\(round)-\($0)") }) }
    let flooded = try Self.counts(scene)
    #expect(flooded.count <= 11 && flooded.values.reduce(0, +) == 5_030)
    let slices = try #require(try Self.tables(scene)["slice"])
    #expect(slices < 100, "slices do not grow with the values")
    try scene.apply((0..<40).map { _ in Self.payload("treatment") })
    #expect(try Self.counts(scene)["treatment"] == 40)
    try scene.store.compact(now: Scene.now)
    #expect(try Self.counts(scene).values.reduce(0, +) == 5_070)
    // Another attribute has room of its own.
    try scene.apply((0..<12).map { Self.payload("r\($0)", name: "region") })
    let regions = try Self.counts(scene, name: "region")
    #expect(regions.count == 11 && regions["(other)"] == 2)
  }

  @Test("too many combinations lose OS version and device first, and attribute values only at twice as many")
  func cells() throws {
    var limits = StoreLimits()
    limits.cells = 10
    let scene = try Scene(limits: limits)
    try scene.apply((0..<10).map { Self.payload("a", model: "iPhone15,\($0)") })
    try scene.apply((0..<30).map { Self.payload("v\($0 % 15)", version: "5.\($0 / 15)", model: "iPhone12,\($0)") })
    let counts = try Self.counts(scene)
    #expect(counts.values.reduce(0, +) == 40 && counts["a"] == 10 && counts["v3"] != nil)
    #expect(counts["(other)"] ?? 0 > 0)
    let cells = try DatabaseQueue(path: scene.path("plumb.db")).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM slice WHERE kind = 6") ?? 0
    }
    #expect(cells <= 22)
  }

  @Test("a slice or value with a damaged row is repaired, and its counts stay")
  func damage() throws {
    let scene = try Scene()
    try scene.apply((0..<6).map { Self.payload($0 < 2 ? "a" : "b") })
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write { database in
      try database.execute(sql: "UPDATE attribute SET value = x'00ff' WHERE value = 'a'")
      try database.execute(sql: "UPDATE slice SET attribute = 'x' WHERE kind = 7 AND attribute = 2")
    }
    let store = try SQLiteStore(path: scene.path("plumb.db"))
    let total = try store.rows(
      RowQuery(
        app: 1, slice: Slice(), window: Window(days: 3, endingOn: Scene.today), metrics: ["time.foreground"]))
    #expect(total.count == 1)
    var query = RowQuery(
      app: 1, slice: Slice(), window: Window(days: 3, endingOn: Scene.today), metrics: ["time.foreground"],
      dimension: .attribute)
    query.attribute = "experiment"
    #expect(try store.rows(query).count <= 2)
  }
}
