import struct Foundation.Data
import class Foundation.FileHandle
import GRDB
import LabelledCauses
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Garbage at random places of every column of bytes, and in rows of numbers: what is damaged is set aside with its
/// bytes and counted, and everything else goes on.
@Suite("Damaged rows")
struct DamageTests {
  /// The tables with bytes, each with their column and a condition for the rows of app 1.
  static let columns = [
    ("cell", "body", "slice IN (SELECT id FROM slice WHERE app = 1)"),
    ("marginal", "body", "slice IN (SELECT id FROM slice WHERE app = 1)"),
    ("daily", "body", "slice IN (SELECT id FROM slice WHERE app = 1)"),
    ("day_pack", "body", "id >> 26 IN (SELECT id FROM slice WHERE app = 1)"),
    ("stream", "value", "app = 1"),
    ("arrival", "users", "environment IN (SELECT id FROM environment WHERE app = 1)"),
    ("signature", "stem", "app = 1"), ("diagnostic_group", "prefixes", "app = 1"),
  ]

  /// Rows of numbers, each with a column that becomes text.
  static let cells = [
    ("session", "cell"), ("session", "outcome"), ("session", "received"), ("diagnostic", "kind"),
    ("diagnostic", "day"), ("diagnostic", "cell"), ("release_life", "last_day"), ("tally", "kind"),
    ("app_state", "last_received"), ("signature_life", "last_day"),
    ("stream", "time"), ("cell", "received"), ("marginal", "received"),
  ]

  private static let causes = LabelledSet(causes: 4, variants: 4, seed: 3)

  /// Payloads of an app of every kind that is stored in a table of its own.
  private static func fill(_ scene: Scene, _ app: AppID, round: Int) throws {
    let minute = { (number: Int) in Timestamp(milliseconds: Scene.now.milliseconds - Int64(number) * 60_000) }
    var records = (0..<6).map { number in
      Scene.record(
        Scene.report(
          [
            Measurement(.known(205), at: .day(Scene.today - number), .samples([Double(100 + 10 * number)])),
            Measurement(.known(205), at: .instant(minute(number * 7)), .samples([300])),
            Measurement(.known(205), label: "Cart", at: .instant(minute(number * 7)), .samples([300])),
            Measurement(
              .known(610), at: .instant(minute(60 - 10 * round)), .counter(Double(10 * round)),
              accumulation: CumulativeStream(stream: UInt64(number), start: minute(600))),
          ], version: "4.\(number % 2)"), app: app)
    }
    for (number, sample) in causes.samples.prefix(12).enumerated() {
      records.append(Scene.record(Scene.report(sample, number: number + 100 * round), app: app))
    }
    try scene.apply(records)
    try scene.apply(
      sessions: (0..<20).map { number in
        SessionRecord(
          key: CellKey(
            app: app, source: .native, environment: "production", release: Release(version: "4.\(number % 2)"),
            os: "iOS 17.4.1", model: "iPhone15,2"), id: UInt64(number), outcome: number % 5 == 0 ? .crashed : .healthy,
          minute: Scene.today.number * 1440 + number, sequence: Int64(round), isSequenceExplicit: true,
          user: UInt64(number % 7), received: Scene.now)
      })
  }

  private static func scene() throws -> Scene {
    let scene = try Scene(samples: SampleLimits())
    for app: AppID in [1, 2] { try fill(scene, app, round: 1) }
    return scene
  }

  /// Everything that is read of an app, as text.
  private static func everything(_ scene: Scene, _ app: AppID) throws -> String {
    let store = scene.store
    let window = Window(days: 28, endingOn: Scene.today)
    var rows: [String] = []
    for dimension in [nil, Dimension.release] {
      rows += try scene.rows(dimension: dimension, app: app).map { "\($0)" }
    }
    rows += try scene.rows(byLabel: true, app: app).map { "\($0)" }
    rows += try scene.rows(Slice(os: "iOS 17.4.1", device: "iPhone15,2"), app: app).map { "\($0)" }
    rows.sort()
    let groups = try store.groups(GroupQuery(app: app, slice: Slice(), window: window)).map {
      "\($0.group.fingerprint) \($0.diagnostics)"
    }.sorted()
    let arrivals = try store.arrivals(ArrivalQuery(app: app, environment: "production", from: 0))
    return """
      \(rows.joined(separator: "\n"))
      \(groups) \(arrivals.map { "\($0.start) \($0.seen) \($0.crashed)" })
      \(try store.diagnostics(DiagnosticQuery(app: app, limit: 100)).count)
      \(try store.inventory(of: app).releases.map(\.release.version).sorted())
      \(try store.tallies(of: app, in: window).filter { $0.kind != .quarantined }.count)
      """
  }

  /// Digests, reads, regroups and compacts, in that order, as a server does.
  private static func goOn(_ scene: Scene) throws {
    for app: AppID in [1, 2] { try fill(scene, app, round: 2) }
    for app: AppID in [1, 2] { _ = try everything(scene, app) }
    try scene.store.regroup(symbols: MemorySymbols(causes.symbols))
    try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + 4 * 86_400_000))
    try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + 40 * 86_400_000))
  }

  private static func quarantined(_ scene: Scene, _ app: AppID) throws -> Int {
    try scene.store.tallies(of: app, in: Window(days: 20_000, endingOn: CalendarDay(number: 30_000)))
      .filter { $0.kind == .quarantined && $0.reason == "damaged row" }.reduce(0) { $0 + $1.count }
  }

  @Test("a search for damage that found nothing is not repeated within ten minutes")
  func fruitlessSearch() throws {
    let scene = try Self.scene()
    let store = scene.store
    func isPaused() -> Bool { store.quarantineState.withLock { $0.isPaused } }
    func setSearch(secondsAgo: Int) {
      store.quarantineState.withLock { $0.lastWithoutFinding = ContinuousClock.now.advanced(by: .seconds(-secondsAgo)) }
    }
    #expect(!isPaused())
    #expect(throws: StoreError.self) {
      try store.retryingAfterQuarantine { () throws -> Int in throw StoreError.damaged("a row that no search finds") }
    }
    #expect(isPaused())
    setSearch(secondsAgo: 590)
    #expect(isPaused())
    setSearch(secondsAgo: 601)
    #expect(!isPaused())
    withExtendedLifetime(scene) {}
  }

  @Test("garbage in a column of bytes stops nothing, and leaves other numbers unchanged", arguments: columns)
  func bytes(table: String, column: String, condition: String) throws {
    let untouched = try Self.scene()
    try Self.goOn(untouched)
    let expected = try Self.everything(untouched, 2)
    let scene = try Self.scene()
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    var random = SeededRandom(seed: table.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    let ids = try file.write { database in
      let keys = try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0")
      let rows = try Row.fetchAll(
        database, sql: "SELECT \(column), \(keys.joined(separator: ", ")) FROM \(table) WHERE \(condition)")
      try #require(!rows.isEmpty, "the scene has no row of \(table)")
      for row in rows {
        var bytes = [UInt8](row[0] as Data)
        // The first byte says what follows; of every third row the whole is overwritten, of others a part.
        let start =
          Int.random(in: 0..<3, using: &random) == 0 || bytes.isEmpty
          ? 0 : Int.random(in: 0..<bytes.count, using: &random)
        bytes =
          bytes.prefix(start)
          + (0..<Int.random(in: 1...20, using: &random)).map { _ in UInt8.random(in: 200...255, using: &random) }
        try database.execute(
          sql: "UPDATE \(table) SET \(column) = ? WHERE " + keys.map { "\($0) IS ?" }.joined(separator: " AND "),
          arguments: [Data(bytes)] + StatementArguments(row.databaseValues.dropFirst()))
      }
      return rows.count
    }
    #expect(ids > 0)
    let found = try StoreVerification.store(at: scene.path("plumb.db")).faults
    #expect(found.contains { $0.hasPrefix("\(table): ") }, "\(found)")
    try Self.goOn(scene)
    #expect(try Self.everything(scene, 2) == expected)
    #expect(try Self.quarantined(scene, 2) == 0)
    // What nobody reads on the way is found by the search that `verify` makes.
    _ = try scene.store.quarantineDamage()
    #expect(try Self.quarantined(scene, 1) > 0)
    let kept = try scene.store.quarantine(limit: 200).records.filter { !$0.place.isEmpty }
    #expect(
      kept.contains { $0.place.hasPrefix(table == "daily" || table == "marginal" ? "" : table) && !$0.record.isEmpty })
    #expect(
      try StoreVerification.store(at: scene.path("plumb.db")).faults.filter { $0.contains("cannot be read") } == [])
    _ = try Self.everything(scene, 1)
  }

  @Test("a number that is a text quarantines its row and nothing else", arguments: cells)
  func numbers(table: String, column: String) throws {
    let untouched = try Self.scene()
    try Self.goOn(untouched)
    let expected = try Self.everything(untouched, 2)
    let scene = try Self.scene()
    let condition =
      Self.columns.first { $0.0 == table }?.2 ?? [
        "release_life": "environment IN (SELECT id FROM environment WHERE app = 1)",
        "signature_life": "signature IN (SELECT id FROM signature WHERE app = 1)",
      ][table] ?? "app = 1"
    try DatabaseQueue(path: scene.path("plumb.db")).write { database in
      try database.execute(
        sql: """
          UPDATE \(table) SET \(column) = 'garbage' WHERE \(condition)
          """)
      #expect(database.changesCount > 0)
    }
    try Self.goOn(scene)
    #expect(try Self.everything(scene, 2) == expected)
    _ = try scene.store.quarantineDamage()
    #expect(try scene.store.quarantine(limit: 200).records.contains { $0.place.hasPrefix("\(table): ") })
    #expect(
      try StoreVerification.store(at: scene.path("plumb.db")).faults.filter { $0.contains("cannot be read") } == [])
    _ = try Self.everything(scene, 1)
  }

  /// How much of an app is as before once its damaged rows were mended.
  enum Kept {
    /// Everything: what a column said follows from other rows.
    case all
    /// The sums over the app, and everything of other columns.
    case total
    /// Rows are there under "(other)".
    case other
  }

  /// Columns of rows on which others hang.
  static let dependedOn: [(table: String, column: String, kept: Kept)] = [
    ("environment", "name", .other), ("environment", "newest_day", .all), ("environment", "app", .all),
    ("environment", "retired", .all), ("release", "version", .total), ("release", "build", .total),
    ("release", "app", .all), ("os", "name", .total), ("device", "model", .total), ("device", "class", .all),
    ("device", "uses", .all), ("label", "name", .total), ("label", "metric", .all),
    ("slice", "environment", .all), ("slice", "kind", .all), ("slice", "app", .all), ("slice", "release", .total),
    ("slice", "os", .total), ("slice", "class", .total),
    ("signature", "member", .all), ("signature", "hash", .all), ("signature", "generation", .all),
    ("signature", "app", .all), ("diagnostic_group", "fingerprint", .all), ("diagnostic_group", "kind", .all),
    ("diagnostic_group", "successor", .all), ("session", "sequence", .all), ("session", "user_grade", .all),
  ]

  private struct Numbers {
    let mine, others: String
    let total: [String]
  }

  private static let untouched: Result<Numbers, any Error> = Result {
    let scene = try Self.scene()
    try Self.goOn(scene)
    return Numbers(
      mine: try Self.everything(scene, 1), others: try Self.everything(scene, 2), total: try Self.total(scene))
  }

  private static func total(_ scene: Scene) throws -> [String] {
    try scene.rows(app: 1).map { "\($0)" }.sorted()
  }

  @Test("rows that others refer to are repaired from the other rows", arguments: dependedOn)
  func mended(table: String, column: String, kept: Kept) throws {
    let untouched = try Self.untouched.get()
    let scene = try Self.scene()
    try DatabaseQueue(path: scene.path("plumb.db")).write { database in
      let key = table == "session" ? "sid" : "id"
      try database.execute(sql: "UPDATE \(table) SET \(column) = CAST('x' || \(key) AS BLOB) WHERE app = 1")
      #expect(database.changesCount > 0)
    }
    #expect(
      try StoreVerification.store(at: scene.path("plumb.db")).faults.contains { $0.hasPrefix("\(table): ") })
    _ = try scene.store.quarantineDamage()
    #expect(try StoreVerification.store(at: scene.path("plumb.db")).faults == [])
    #expect(try scene.store.quarantine(limit: 200).records.contains { $0.place.hasPrefix("\(table): ") })
    try Self.goOn(scene)
    #expect(try Self.everything(scene, 2) == untouched.others)
    let mine = try Self.everything(scene, 1)
    switch kept {
    case .all: #expect(mine == untouched.mine)
    case .total: #expect(try Self.total(scene) == untouched.total)
    case .other: #expect(try scene.store.inventory(of: 1).environments["(other)"] != nil)
    }
    #expect(try StoreVerification.store(at: scene.path("plumb.db")).faults == [])
  }

  @Test("a quarantined session is reported as still counted")
  func sessions() throws {
    let scene = try Self.scene()
    try DatabaseQueue(path: scene.path("plumb.db")).write { database in
      try database.execute(sql: "UPDATE session SET outcome = x'00' WHERE app = 1 AND sid IN (3, 4)")
    }
    #expect(try scene.store.quarantineDamage() == 2)
    let found = try StoreVerification.store(at: scene.path("plumb.db"))
    #expect(found.faults == [] && found.notes.map { String($0.prefix(18)) } == ["2 damaged sessions"], "\(found)")
    _ = try Self.everything(scene, 1)
  }

  @Test("pages of an app work again in the same request after its damaged rows were quarantined")
  func reading() throws {
    let scene = try Self.scene()
    try DatabaseQueue(path: scene.path("plumb.db")).write { database in
      try database.execute(
        sql: "UPDATE marginal SET body = x'ffff' WHERE slice IN (SELECT id FROM slice WHERE app = 1 AND kind = 0)")
    }
    let text = try scene.store.snapshot { try Self.everything(scene, 1) }
    #expect(text.contains("4.0"))
    #expect(try Self.quarantined(scene, 1) > 0)
  }

  @Test("a damaged samples.db affects no number, and is reported once")
  func samples() throws {
    let scene = try Self.scene()
    // The first page of the table and of its indexes: the file opens, and no sample can be read.
    let file = try DatabaseQueue(path: scene.path("samples.db"))
    try file.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    let (pages, size) = try file.read { database in
      (
        try Int.fetchAll(database, sql: "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'sample'"),
        try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
      )
    }
    try file.close()
    let handle = try #require(FileHandle(forUpdatingAtPath: scene.path("samples.db")))
    for page in pages {
      try handle.seek(toOffset: UInt64((page - 1) * size))
      try handle.write(contentsOf: Data(repeating: 0xff, count: size))
    }
    try handle.close()
    let reported = Mutex(0)
    let bodies = try SQLiteSampleStore(path: scene.path("samples.db")) { _ in reported.withLock { $0 += 1 } }
    let store = try SQLiteStore(path: scene.path("plumb.db"), samples: bodies)
    let mark = try store.watermark(of: Scene.node)
    #expect(try store.sample(of: 1, identity: 1) == nil)
    #expect(try store.diagnostics(DiagnosticQuery(app: 1, limit: 100)).allSatisfy { !$0.isKept })
    try store.apply(DigestedBatch(node: Scene.node, from: mark + 1, through: mark + 1))
    try store.boundSamples()
    #expect(reported.withLock { $0 } == 1)
  }
}
