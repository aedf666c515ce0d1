import GRDB
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// What a store writes for payloads with values of several attributes.
struct AttributeSetTests {
  /// A payload with one second in the foreground. `attributes`: such as `experiment=a`.
  private static func payload(
    _ attributes: [String], version: String = "4.2.0", model: String = "iPhone15,2"
  ) -> [UInt8] {
    var report = Scene.report(
      [Measurement(.known(610), at: .day(Scene.now.day()), .counter(1))], version: version, model: model)
    report.attributes = attributes.compactMap { text in
      AttributeFilter(text).flatMap { AppAttribute(name: $0.name, value: $0.value) }
    }.sorted { $0.name < $1.name }
    return Scene.record(report)
  }

  private static func counts(_ scene: Scene, _ slice: Slice = Slice(), by attribute: String) throws -> [String: Int64] {
    try scene.rows(slice, metrics: ["time.foreground"], dimension: .attribute, attribute: attribute)
      .reduce(into: [:]) { counts, row in
        if case .counter(let sum) = row.aggregate { counts[row.member, default: 0] += sum.steps / 1000 }
      }
  }

  private static func read<Value>(_ scene: Scene, _ body: (Database) throws -> Value) throws -> Value {
    try DatabaseQueue(path: scene.path("plumb.db")).read(body)
  }

  private static func count(_ scene: Scene, _ sql: String) throws -> Int {
    try read(scene) { try Int.fetchOne($0, sql: sql) ?? 0 }
  }

  private static func faults(_ scene: Scene) throws -> [String] {
    try StoreVerification.store(at: scene.path("plumb.db")).faults
  }

  @Test("a payload with two values has one cell, a set with both as members, and the rollups of each")
  func rows() throws {
    let scene = try Scene()
    try scene.apply([Self.payload(["experiment=a", "region=DE"])])
    // A cell, six rollups, and three of each value.
    #expect(try Self.count(scene, "SELECT count(*) FROM slice") == 13)
    let values = try Self.read(scene) {
      try String.fetchAll($0, sql: "SELECT name || '=' || value FROM attribute ORDER BY id")
    }
    #expect(values == ["experiment=a", "region=DE", "=1,2"])
    #expect(try Self.count(scene, "SELECT count(*) FROM attribute_member WHERE attribute_set = 3") == 2)
    try scene.apply([Self.payload(["experiment=a", "region=DE"]), Self.payload(["experiment=a"])])
    #expect(try Self.count(scene, "SELECT count(*) FROM attribute WHERE name = ''") == 1)
    #expect(try Self.counts(scene, by: "experiment") == ["a": 3])
    #expect(try Self.counts(scene, by: "region") == ["DE": 2])
    #expect(try Self.faults(scene) == [])
  }

  @Test("a retired value becomes (other) also in sets, and no sum changes")
  func retired() throws {
    var limits = StoreLimits()
    limits.names.attributes = 3
    let scene = try Scene(limits: limits)
    try scene.apply(
      (0..<3).flatMap { value in (0..<3).map { _ in Self.payload(["experiment=v\(value)", "flag=on"]) } })
    try scene.apply((0..<60).map { _ in Self.payload(["experiment=new", "flag=on"]) })
    func check() throws {
      for slice in [Slice(), Slice(os: "iOS 17.4.1"), Slice(attribute: AttributeFilter("flag=on"))] {
        let counts = try Self.counts(scene, slice, by: "experiment")
        #expect(counts["new"] == 60 && counts["(other)"] == 3 && counts.values.reduce(0, +) == 69, "\(counts)")
      }
      let cells = Slice(os: "iOS 17.4.1", attribute: AttributeFilter("experiment=(other)"))
      #expect(try Self.counts(scene, cells, by: "flag") == ["on": 3])
    }
    try check()
    // Cells without rows are deleted in the first hour of a day.
    try scene.store.compact(now: (Scene.today + 1).startUTC)
    try check()
    #expect(try Self.faults(scene) == [])
    #expect(
      try Self.count(
        scene, "SELECT count(*) FROM attribute WHERE retired > 0 AND id IN (SELECT attribute FROM attribute_member)")
        == 0, "no set keeps a retired value")
  }

  @Test("too many combinations make the values of new sets (other), and sets do not grow with fabricated values")
  func bounds() throws {
    var limits = StoreLimits()
    limits.cells = 10
    let scene = try Scene(limits: limits)
    try scene.apply(
      (0..<400).map { Self.payload(["a=\($0 % 20)", "b=\($0 / 20)"], model: "iPhone15,\($0 % 7)") })
    #expect(try Self.counts(scene, by: "a").values.reduce(0, +) == 400)
    #expect(try Self.counts(scene, by: "b").values.reduce(0, +) == 400)
    #expect(try Self.count(scene, "SELECT count(*) FROM slice WHERE kind = 6") <= 30)
    #expect(try Self.count(scene, "SELECT count(*) FROM attribute WHERE name = ''") <= 11)
    #expect(try Self.faults(scene) == [])
  }

  @Test("a release and a value that are retired in one batch move the rows that they share once")
  func retiredTogether() throws {
    var limits = StoreLimits()
    limits.names.attributes = 3
    limits.names.releases = 3
    let scene = try Scene(limits: limits)
    for round in 0..<6 {
      try scene.apply(
        (0..<3).flatMap { value in
          (0...(20 * round)).map { _ in
            Self.payload(["experiment=v\(round)-\(value)"], version: "4.\(round).\(value)")
          }
        })
    }
    // Rounds of 1, 21, 41, 61, 81 and 101 payloads of three values each.
    #expect(try Self.counts(scene, by: "experiment").values.reduce(0, +) == 3 * 306)
    #expect(try Self.faults(scene) == [])
  }

  @Test("with the last cell of a set, the set and its members are deleted")
  func deleted() throws {
    let scene = try Scene()
    try scene.apply([Self.payload(["experiment=a", "region=DE"]), Self.payload(["experiment=b", "region=DE"])])
    try scene.store.compact(now: (Scene.today + 40).startUTC)
    #expect(try Self.count(scene, "SELECT count(*) FROM attribute WHERE name = ''") == 0)
    #expect(try Self.count(scene, "SELECT count(*) FROM attribute_member") == 0)
    #expect(try Self.counts(scene, by: "region") == ["DE": 2])
  }

  @Test("a store of before sets opens, and its values and new sets add up")
  func migrated() throws {
    let scene = try Scene()
    try scene.apply([Self.payload(["experiment=a"]), Self.payload([])])
    try DatabaseQueue(path: scene.path("plumb.db")).write { database in
      try database.execute(sql: "DROP TABLE attribute_member; DROP TRIGGER attribute_set_deleted;")
      try database.execute(sql: "DELETE FROM migration WHERE name LIKE '%attribute_sets%'")
    }
    let again = try SQLiteStore(path: scene.path("plumb.db"))
    var query = RowQuery(
      app: 1, slice: Slice(), window: Window(days: 3, endingOn: Scene.today), metrics: ["time.foreground"],
      dimension: .attribute)
    query.attribute = "experiment"
    #expect(try again.rows(query).map(\.member) == ["a"])
    query.slice.os = "iOS 17.4.1"
    #expect(try again.rows(query).map(\.member) == ["a"])
  }
}
