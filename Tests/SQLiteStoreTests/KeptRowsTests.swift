import Dispatch
import GRDB
import TestSupport
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Rows that are kept from one snapshot to the next, against what a store reads that keeps none.
@Suite("Rows that are kept between snapshots")
struct KeptRowsTests {
  private static func record(
    _ release: Int, _ age: Int, app: AppID = 1, metric: String = "launch.first_draw"
  ) -> [UInt8] {
    Scene.record(
      Scene.report(
        [
          Measurement(
            MetricReference(name: metric, unit: .milliseconds, kind: .distribution), at: .day(Scene.today - age),
            .samples([100]))
        ], version: "4.\(release)", model: ["iPhone15,2", "iPhone12,8", "iPad13,1"][release % 3]), app: app)
  }

  private static func session(_ id: UInt64, _ age: Int, _ outcome: SessionOutcome, sequence: Int64) -> SessionRecord {
    SessionRecord(
      key: CellKey(
        app: 1, source: .native, environment: "production", release: Release(version: "4.\(id % 3)"), os: "iOS 17.0",
        model: "iPhone15,2"), id: id, outcome: outcome, minute: (Scene.today.number - age) * 1440 + 100,
      sequence: sequence, isSequenceExplicit: true, user: id % 5,
      received: Timestamp(milliseconds: Scene.now.milliseconds + sequence * 1_000))
  }

  private static func query(
    _ days: Int = 28, until age: Int = 0, _ dimension: Dimension? = nil, app: AppID = 1
  ) -> RowQuery {
    RowQuery(
      app: app, slice: Slice(), window: Window(days: days, endingOn: Scene.today - age), dimension: dimension,
      bins: .days)
  }

  private static func text(_ store: SQLiteStore, _ query: RowQuery) throws -> [String] {
    try store.snapshot {
      try store.rows(query).map { "\($0)" } + store.usage(query).map { "\($0)" }
        + store.likeness(query).map { "\($0)" }.sorted() + store.members(of: query).sorted()
    }
  }

  /// Deletes all rows without a new version.
  private static func deleteRows(in scene: Scene) throws {
    try DatabaseQueue(path: scene.path("plumb.db")).write { database in
      for table in ["marginal", "daily", "day_pack", "cell"] { try database.execute(sql: "DELETE FROM \(table)") }
    }
  }

  private static func samples(_ store: SQLiteStore, _ query: RowQuery) throws -> Int {
    try store.snapshot { try store.rows(query).samples }
  }

  @Test("after any change, rows and their order are those of a store that has read nothing", arguments: [1, 2, 3])
  func same(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let scene = try Scene()
    var answers = 0
    for step in 0..<30 {
      let ages = (0..<4).map { _ in [0, 0, 1, 7, 20].randomElement(using: &random) ?? 0 }
      switch step % 5 {
      case 0, 1:
        let outcome: SessionOutcome = step % 5 == 0 ? .crashed : .healthy
        let updates = ages.map { Self.session(random.next() % 40, $0, outcome, sequence: Int64(step)) }
        try scene.apply(sessions: updates)
      case 4:
        let other = try SQLiteStore(path: scene.path("plumb.db"))
        if step % 2 == 0 {
          try other.compact(now: Scene.now)
        } else {
          try scene.apply(ages.map { Self.record(step % 7, $0) }, to: other)
        }
      default: try scene.apply(ages.map { Self.record(step % 7, $0, app: AppID(1 + step % 2)) })
      }
      let fresh = try SQLiteStore(path: scene.path("plumb.db"))
      for _ in 0..<6 {
        let query = Self.query(
          Int.random(in: 1...30, using: &random), until: Int.random(in: 0..<8, using: &random),
          [nil, .release, .device, .deviceClass, .os].randomElement(using: &random) ?? nil)
        let rows = try Self.text(scene.store, query)
        #expect(try rows == Self.text(fresh, query), "step \(step)")
        var usage = query
        usage.metrics = UsageRow.metrics
        #expect(try scene.store.members(of: usage) == Set(fresh.usage(usage).map(\.member)), "step \(step)")
        answers += rows.count
      }
    }
    #expect(answers > 500)
  }

  /// Rows that are changed behind the store's back, without a new version, are only seen if they are read again.
  @Test("only the rows of days that changed are read again")
  func days() throws {
    let scene = try Scene()
    try scene.apply((0..<20).map { Self.record(1, $0) })
    #expect(try Self.samples(scene.store, Self.query()) == 20)
    try Self.deleteRows(in: scene)
    #expect(try Self.samples(scene.store, Self.query()) == 20)
    #expect(try Self.samples(scene.store, Self.query(5)) == 5)
    try scene.apply([Self.record(1, 3), Self.record(1, 3)])
    #expect(try Self.samples(scene.store, Self.query()) == 21)
    // Another app has other rows.
    try scene.apply([Self.record(1, 5, app: 2)])
    #expect(try Self.samples(scene.store, Self.query()) == 21)
    // A change that notes no days may concern any.
    try scene.store.write { database, _ in try database.execute(sql: "DELETE FROM clock") }
    #expect(try Self.samples(scene.store, Self.query()) == 2)
  }

  @Test("of a day that changed, only rows of slices that changed are read again")
  func slices() throws {
    let scene = try Scene()
    try scene.apply((0..<6).map { Self.record($0, 0) })
    let query = Self.query(28, .release)
    #expect(try Self.samples(scene.store, query) == 6)
    try Self.deleteRows(in: scene)
    // Without their rows, releases 1 and 3 only have what is new.
    try scene.apply([Self.record(1, 0)])
    try scene.apply([Self.record(3, 0)])
    #expect(try Self.samples(scene.store, query) == 6)
    try Self.deleteRows(in: scene)
    try scene.apply([Self.record(3, 0), Self.record(3, 0)])
    #expect(try Self.samples(scene.store, query) == 7)
    // What another process changed in between is not known.
    try scene.apply([Self.record(5, 0)], to: SQLiteStore(path: scene.path("plumb.db")))
    try scene.apply([Self.record(3, 0)])
    #expect(try Self.samples(scene.store, query) == 4)
  }

  @Test("after a flush, only slices that it changed are searched for use again")
  func members() throws {
    let scene = try Scene()
    try scene.apply((0..<6).map { Self.record($0, 0) })
    var query = Self.query(28, .release)
    query.metrics = UsageRow.metrics
    func members() throws -> [String] { try scene.store.snapshot { try scene.store.members(of: query).sorted() } }
    let all = (0..<6).map { "4.\($0)" }
    #expect(try members() == all)
    try Self.deleteRows(in: scene)
    #expect(try members() == all)
    try scene.apply([Self.record(1, 0)])
    #expect(try members() == all)
    try scene.apply([Self.record(6, 0)])
    #expect(try members() == all + ["4.6"])
    // The window of the next day has the same rows, but is another.
    query.window = Window(days: 28, endingOn: Scene.today + 1)
    #expect(try members() == ["4.1", "4.6"])
    try scene.apply([Self.record(5, 0)], to: SQLiteStore(path: scene.path("plumb.db")))
    #expect(try members() == ["4.1", "4.5", "4.6"])
  }

  @Test("the slices of all answers are bounded")
  func boundedMembers() throws {
    let scene = try Scene()
    try scene.apply((0..<6).map { Self.record($0, 0) })
    let kept = KeptMembers(most: 40)
    func members(_ days: Int, _ dimension: Dimension) throws -> Int {
      var query = Self.query(days, dimension)
      query.metrics = UsageRow.metrics
      return try scene.store.read {
        try kept.members(of: query, by: MetricRowQueries($0), after: scene.store.changedSlices).count
      }
    }
    #expect(try members(28, .release) == 6)
    try Self.deleteRows(in: scene)
    #expect(try members(28, .release) == 6)
    // A second and a third answer take more than the bound together, so all are forgotten.
    #expect(try members(28, .device) == 0)
    #expect(try members(28, .os) == 0)
    #expect(try members(28, .deviceClass) == 0)
    #expect(try members(28, .release) == 0)
  }

  @Test("correlation sums that are read again after a repair count once")
  func repaired() throws {
    let scene = try Scene()
    try scene.apply([1, 2].map { Self.record($0, 0) })
    try DatabaseQueue(path: scene.path("plumb.db")).write { database in
      // Without a version no rows are kept, and sums are added row by row.
      try database.execute(sql: "DELETE FROM row_version")
      try database.execute(
        sql: """
          UPDATE day_pack SET body = x'01cd01000601ffffffffff' WHERE id >> 26 = (
            SELECT slice.id FROM slice JOIN release ON release.id = slice.release
            WHERE kind = \(SliceKind.release.number) AND version = '4.2')
          """)
    }
    #expect(try scene.store.likeness(Self.query(28, .release)).map(\.sums.count) == [1])
    #expect(try scene.store.quarantine().count == 1)
  }

  @Test("changed slices are known from the first flush after a change by others, and have a bound")
  func changedSlices() {
    let changes = ChangedSlices(most: 3)
    func changed(after version: Int64, through newest: Int64) -> Set<Int64>? {
      changes.changed([1, 2, 3, 4], after: version, through: newest)
    }
    #expect(changed(after: 0, through: 0) == nil)
    changes.note(.init(previous: 10, version: 11, slices: [1]))
    #expect(changed(after: 9, through: 11) == nil)
    #expect(changed(after: 10, through: 11) == [1])
    #expect(changed(after: 11, through: 12) == nil)
    changes.note(.init(previous: 11, version: 15, slices: [2]))
    #expect(changed(after: 10, through: 15) == [1, 2])
    #expect(changed(after: 11, through: 15) == [2])
    // An older snapshot may read a slice too many.
    #expect(changed(after: 10, through: 11) == [1, 2])
    changes.note(.init(previous: 16, version: 17, slices: [3]))
    #expect(changed(after: 15, through: 17) == nil)
    #expect(changed(after: 16, through: 17) == [3])
    changes.note(.init(previous: 17, version: 18, slices: [1, 2, 4]))
    #expect(changed(after: 16, through: 18) == nil)
    #expect(changed(after: 17, through: 18) == [1, 2, 4])
    changes.note(.init(previous: 18, version: 19, slices: [1, 2, 3, 4]))
    #expect(changed(after: 18, through: 19) == nil)
    #expect(changed(after: 19, through: 19) == [])
    changes.note(.init(previous: nil, version: 20, slices: [1]))
    #expect(changed(after: 19, through: 20) == nil)
    #expect(changed(after: 20, through: 20) == [])
  }

  @Test("a transaction that changes nothing leaves the kept rows as they are")
  func nothing() throws {
    let scene = try Scene()
    try scene.apply([Self.record(1, 0)])
    func newest() throws -> Int64? {
      try scene.store.read { try Int64.fetchOne($0, sql: "SELECT newest FROM row_version") }
    }
    let before = try newest()
    try scene.store.noticeOthers()
    #expect(try before != nil && newest() == before)
    // Only the first compaction has something to do.
    try scene.store.compact(now: Scene.now)
    let after = try newest()
    try scene.store.compact(now: Scene.now)
    #expect(try newest() == after)
  }

  @Test("changes by another process are seen, whatever it changes")
  func others() throws {
    let scene = try Scene()
    try scene.apply((0..<10).map { Self.record(1, $0) })
    #expect(try Self.samples(scene.store, Self.query()) == 10)
    let other = try SQLiteStore(path: scene.path("plumb.db"))
    _ = try other.erase(
      .days(Window(from: Scene.today - 2, to: Scene.today - 1)), of: 1, replay: JournalReplay(forEach: { _, _ in }))
    #expect(try Self.samples(scene.store, Self.query()) == 8)
    _ = try other.erase(.app, of: 1, replay: JournalReplay(forEach: { _, _ in }))
    #expect(try Self.samples(scene.store, Self.query()) == 0)
  }

  @Test("a snapshot of an older state neither sees newer rows nor leaves older ones behind")
  func older() throws {
    let scene = try Scene()
    try scene.apply([Self.record(1, 0)])
    func elsewhere(_ body: @escaping @Sendable () throws -> Void) {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        do { try body() } catch { Issue.record(error) }
        done.signal()
      }
      done.wait()
    }
    let store = scene.store
    var aggregator = RecordAggregator()
    var writer = ByteWriter()
    writer.blob(Self.record(1, 0))
    aggregator.digest(JournalBatch(first: scene.next, count: 1, records: writer.bytes))
    let taken = aggregator.take(node: Scene.node)
    let batch = try #require(taken)
    try store.snapshot {
      // The first read begins the state of the snapshot.
      _ = try store.inventory(of: 1)
      elsewhere {
        try store.apply(batch)
        let newer = try Self.samples(store, Self.query())
        #expect(newer == 2)
      }
      #expect(try store.rows(Self.query()).samples == 1)
      elsewhere {
        let newer = try Self.samples(store, Self.query())
        #expect(newer == 2)
      }
    }
    #expect(try Self.samples(store, Self.query()) == 2)
  }

  @Test("kept rows have a bound, and rows beyond it are read")
  func bounded() throws {
    let scene = try Scene()
    try scene.apply((0..<20).flatMap { age in (0..<6).map { Self.record($0, age, metric: "custom.\($0)") } })
    func count(_ kept: KeptRows<MetricRow>, _ query: RowQuery) throws -> Int? {
      try scene.store.read { database in
        let queries = MetricRowQueries(database)
        return try kept.rows(of: query, by: queries, after: ChangedSlices(), queries.forEachRow)?.count
      }
    }
    let small = KeptRows<MetricRow>(most: 100_000, ofQuery: 20_000)
    let whole = Self.query(28, .release)
    let all = try scene.store.rows(whole).count
    #expect(all == 240)
    #expect(try count(small, whole) == nil)
    for length in 1...20 {
      for age in 0..<8 {
        _ = try count(small, Self.query(length, until: age, .release))
        _ = try count(small, Self.query(length, until: age))
        #expect(small.size <= 100_000)
      }
    }
    #expect(small.size > 10_000)
    #expect(try count(small, Self.query(2, .release)) == 24)
    #expect(try count(KeptRows(most: 1 << 20, ofQuery: 1 << 20), whole) == all)
  }

  @Test("a window whose rows have expired is refused, even if its rows are kept")
  func expired() throws {
    var limits = StoreLimits()
    limits.retention.daily = 30
    let scene = try Scene(limits: limits)
    try scene.apply((1...30).map { Self.record(1, $0) })
    try scene.store.compact(now: Scene.now)
    let window = Self.query(30, until: 1)
    #expect(try Self.samples(scene.store, window) > 0)
    try scene.apply([Self.record(1, 0)])
    #expect(throws: StoreError.self) { try Self.samples(scene.store, window) }
    #expect(throws: StoreError.self) { try scene.store.snapshot { try scene.store.usage(window) } }
    #expect(try Self.samples(scene.store, Self.query(30)) > 0)
  }

  @Test("a version that was lost or damaged is replaced by a greater one, and no kept row returns")
  func lost() throws {
    let scene = try Scene()
    try scene.apply((0..<5).map { Self.record(1, $0) })
    #expect(try Self.samples(scene.store, Self.query()) == 5)
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    let before = try file.read { try Int64.fetchOne($0, sql: "SELECT newest FROM row_version") ?? 0 }
    try file.write { try $0.execute(sql: "DELETE FROM row_version") }
    #expect(try Self.samples(scene.store, Self.query()) == 5)
    try scene.apply([Self.record(1, 2)])
    #expect(try Self.samples(scene.store, Self.query()) == 6)
    #expect(try file.read { try Int64.fetchOne($0, sql: "SELECT newest FROM row_version") ?? 0 } >= before)
    var expected = 6
    for change in ["row_version SET newest = 'x'", "day_version SET version = 'x'", "row_version SET all_days = 'x'"] {
      try file.write { try $0.execute(sql: "UPDATE \(change)") }
      #expect(try Self.samples(scene.store, Self.query()) == expected)
      #expect(try StoreVerification.store(at: scene.path("plumb.db")).faults == [])
      try file.write { try $0.execute(sql: "UPDATE \(change)") }
      try scene.apply([Self.record(1, 2)])
      expected += 1
      #expect(try Self.samples(scene.store, Self.query()) == expected)
      #expect(try StoreVerification.store(at: scene.path("plumb.db")).faults == [])
    }
  }
}
