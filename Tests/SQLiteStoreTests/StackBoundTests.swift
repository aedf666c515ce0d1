import Foundation
import GRDB
import Testing
import TestSupport

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

/// Groups, samples and receipts of an app whose room somebody filled.
struct StackBoundTests {
  private static func limits() -> StoreLimits {
    var limits = StoreLimits()
    limits.signatures = 200
    limits.newSignatures = 20
    limits.images = 300
    return limits
  }

  private static let build = String(repeating: "A", count: 32)

  /// A crash with one frame.
  private static func crash(_ offset: Int, identity: Int, uuid: String = build, day: Int = 0) -> Report {
    let calls = CallTree(
      binaries: [CallTree.Binary(name: "Shop", uuid: uuid)],
      frames: [CallTree.Frame(caller: -1, binary: 0, offset: UInt64(offset))],
      threads: [.init(range: 0..<1, isAttributed: true)])
    let diagnostic = Diagnostic(
      kind: .crash, time: .day(Scene.today + day), identity: UInt64(identity),
      exception: ExceptionDetails(type: 1, name: "EXC_BAD_ACCESS"), calls: calls, body: PackedJSON([]))
    return Report(
      source: .metricKit, release: Release(version: "4", build: "1"),
      device: Device(model: "iPhone15,2", system: OperatingSystem(parsing: "iOS 18.0")), diagnostics: [diagnostic])
  }

  private static func groups(_ scene: Scene) throws -> [GroupCount] {
    try scene.store.groups(
      GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: Scene.today + 1)))
  }

  private static func apply(_ reports: [Report], to scene: Scene, seconds: Int64 = 0) throws {
    try scene.apply(
      reports.map {
        Scene.record($0, received: Timestamp(milliseconds: Scene.now.milliseconds + seconds * 1_000))
      })
  }

  private static func count(_ scene: Scene, _ sql: String) throws -> Int {
    try DatabaseQueue(path: scene.path("plumb.db")).read { try Int.fetchOne($0, sql: sql) ?? 0 }
  }

  @Test("a new crash gets a group after unique stacks used all the space, and groups in use stay")
  func newGroup() throws {
    let scene = try Scene(limits: Self.limits())
    // Ten honest causes, each seen five times.
    for round in 0..<5 {
      try Self.apply((0..<10).map { Self.crash(10 + $0, identity: 100 * round + $0) }, to: scene)
    }
    for round in 0..<8 {
      try Self.apply(
        (0..<400).map { Self.crash(100_000 + round * 1_000 + $0, identity: 1_000_000 + round * 1_000 + $0) }, to: scene,
        seconds: Int64(round))
    }
    #expect(try Self.count(scene, "SELECT count(*) FROM signature") == 200)
    try Self.apply((0..<3).map { Self.crash(77, identity: 9_000_000 + $0) }, to: scene, seconds: 20)
    let found = try Self.groups(scene)
    #expect(found.filter { $0.diagnostics == 3 }.count == 1)
    #expect(found.filter { $0.diagnostics == 5 }.count == 10)
    #expect(try Self.count(scene, "SELECT count(*) FROM signature") <= 200)
    #expect(try Self.count(scene, "SELECT count(*) FROM diagnostic_group") <= 200)
    // Every crash is counted, with a group or without.
    #expect(try Self.count(scene, "SELECT count(*) FROM diagnostic") == 50 + 3_200 + 3)
    #expect(
      try Self.count(
        scene,
        "SELECT count(*) FROM diagnostic WHERE signature IS NOT NULL AND signature NOT IN (SELECT id FROM signature)")
        == 0)
  }

  @Test("among stacks that occur once, one that occurs twice is admitted")
  func duringFlood() throws {
    let scene = try Scene(limits: Self.limits())
    for round in 0..<6 {
      var reports = (0..<400).map {
        Self.crash(100_000 + round * 1_000 + $0, identity: 1_000_000 + round * 1_000 + $0)
      }
      if round >= 2 { reports += (0..<2).map { Self.crash(77, identity: 9_000_000 + round * 10 + $0) } }
      try Self.apply(reports, to: scene, seconds: Int64(round))
    }
    #expect(try Self.groups(scene).filter { $0.diagnostics == 8 }.count == 1)
  }

  @Test("binaries are bounded over all builds, and the app's own stay before the system's")
  func images() throws {
    let scene = try Scene(limits: Self.limits())
    for round in 0..<5 {
      try Self.apply(
        (0..<100).map {
          Self.crash(5, identity: round * 1_000 + $0, uuid: String(format: "%032X", round * 1_000 + $0))
        }, to: scene)
    }
    #expect(try Self.count(scene, "SELECT count(*) FROM image") <= 300)
    #expect(try Self.count(scene, "SELECT count(*) FROM image") >= 200)
  }

  @Test("diagnostics beyond the limit evict the oldest days")
  func diagnostics() throws {
    var limits = Self.limits()
    limits.diagnostics = 100
    let scene = try Scene(limits: limits)
    for round in 0..<5 {
      try Self.apply((0..<40).map { Self.crash(5, identity: round * 100 + $0, day: round - 5) }, to: scene)
    }
    #expect(try Self.count(scene, "SELECT count(*) FROM diagnostic") == 100)
    #expect(try Self.count(scene, "SELECT min(day) FROM diagnostic") == Scene.today.number - 3)
    #expect(try Self.count(scene, "SELECT count FROM row_count WHERE kind = 3") == 100)
  }

  // MARK: Samples

  @Test("an app that fills the space for samples evicts its own and no other app's")
  func fairSamples() throws {
    let scene = try Scene(samples: SampleLimits(newest: 3, typical: 2, bytes: 1 << 20))
    var random = SeededRandom(seed: 3)
    func report(_ number: Int, bytes: Int) -> Report {
      var report = Self.crash(1_000 + number, identity: number)
      report.diagnostics[0].body = PackedJSON((0..<bytes).map { _ in UInt8.random(in: 32...255, using: &random) })
      return report
    }
    let old = Timestamp(milliseconds: Scene.now.milliseconds - 86_400_000)
    try scene.apply((0..<10).map { Scene.record(report($0, bytes: 5_000), app: 2, received: old) })
    for round in 1...20 {
      try scene.apply((0..<10).map { Scene.record(report(round * 100 + $0, bytes: 20_000)) })
    }
    let kept = try (0..<10).filter { try scene.store.sample(of: 2, identity: UInt64($0)) != nil }
    #expect(kept.count == 10)
    #expect(try scene.store.sample(of: 1, identity: 2_009) != nil)
    #expect(try scene.store.sample(of: 1, identity: 100) == nil)
  }

  // MARK: Receipts

  @Test("receipts of an app are bounded, its oldest are evicted first, and other apps keep theirs")
  func receipts() throws {
    let scene = try Scene()
    let journal = try SQLiteJournal(path: scene.path("journal.db"), mostReceipts: 100) { _ in 0 }
    func append(_ app: AppID, _ keys: Range<UInt64>, _ seconds: Int64) throws -> [AppendOutcome] {
      try journal.append(
        keys.map {
          PendingRecords(
            app: app, bytes: [1, 7], count: 1, receipt: Receipt(key: $0, content: 7),
            received: Timestamp(milliseconds: Scene.now.milliseconds + seconds * 1_000))
        }
      ).outcomes
    }
    _ = try append(2, 0..<50, 0)
    for round in 0..<10 { _ = try append(1, UInt64(round) * 40..<UInt64(round) * 40 + 40, Int64(round)) }
    let count = try DatabaseQueue(path: scene.path("journal.db")).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM receipt WHERE app = 1") ?? 0
    }
    #expect(count <= 100 && count >= 60)
    #expect(try append(1, 399..<400, 20) == [.duplicate(isReused: false)])
    #expect(try append(2, 0..<1, 20) == [.duplicate(isReused: false)])
  }
}
