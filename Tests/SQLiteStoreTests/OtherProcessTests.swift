import Dispatch
import Foundation
import GRDB
import Synchronization
import Testing

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Two stores on one file are to each other what two processes are: each has connections and caches of its own.
@Suite("A store that other processes change")
struct OtherProcessTests {
  /// When everything of `Scene.now` is past its time.
  private static let later = Timestamp(milliseconds: Scene.now.milliseconds + 500 * 86_400_000)

  /// In the first hour of that day, in which unused cells are searched.
  private static let night = later.day().startUTC

  private static func report(_ release: String, received: Timestamp) -> [UInt8] {
    Scene.record(
      Scene.report(
        [
          Measurement(.known(205), label: "Cart \(release)", at: .instant(received), .samples([100])),
          Measurement(.known(202), at: .instant(received), .samples([300])),
        ], version: release, model: "iPhone\(release)"), received: received)
  }

  private static func session(_ number: UInt64, _ release: String, received: Timestamp) -> SessionRecord {
    SessionRecord(
      key: CellKey(
        app: 1, source: .native, environment: "production", release: Release(version: release), os: "iOS 17.4.1",
        model: "iPhone\(release)"), id: number, outcome: .healthy, minute: received.day().number * 1440,
      sequence: 1, isSequenceExplicit: true, user: number % 7, received: received)
  }

  private static func apply(_ releases: [String], sessions: Range<UInt64>, at time: Timestamp, to scene: Scene) throws {
    try scene.apply(releases.map { report($0, received: time) })
    try scene.apply(sessions: releases.flatMap { release in sessions.map { session($0, release, received: time) } })
  }

  private static func total(_ scene: Scene, _ slice: Slice) throws -> Int {
    try scene.rows(slice, Window(days: 3, endingOn: later.day()), metrics: ["screen.load"]).count
  }

  private static func faults(_ scene: Scene) throws -> [String] {
    try StoreVerification.store(at: scene.path("plumb.db")).faults
  }

  /// Everything that is read of the releases, as text.
  private static func everything(_ scene: Scene, _ releases: [String]) throws -> String {
    let window = Window(days: 3, endingOn: later.day())
    let slices = [Slice()] + releases.flatMap { [Slice(release: $0), Slice(device: "iPhone\($0)")] }
    return try slices.map { try scene.rows($0, window).map { "\($0)" }.sorted().joined(separator: "\n") }
      .joined(separator: "\n\n")
  }

  @Test("names and combinations that another process deletes return with new ids, without loss")
  func deletedNames() throws {
    let releases = ["1.0", "1.1", "1.2"]
    let alone = try Scene()
    try Self.apply(releases, sessions: 0..<20, at: Scene.now, to: alone)
    try alone.store.compact(now: Self.night)
    try Self.apply(["9.9"] + releases, sessions: 100..<200, at: Self.later, to: alone)
    let shared = try Scene()
    try Self.apply(releases, sessions: 0..<20, at: Scene.now, to: shared)
    let other = try SQLiteStore(path: shared.path("plumb.db"))
    try other.compact(now: Self.night)
    let file = try DatabaseQueue(path: shared.path("plumb.db"))
    #expect(try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM slice") } == 0)
    // First a release that gets the ids of those that are gone.
    try Self.apply(["9.9"] + releases, sessions: 100..<200, at: Self.later, to: shared)
    #expect(try Self.everything(shared, ["9.9"] + releases) == Self.everything(alone, ["9.9"] + releases))
    #expect(try Self.total(shared, Slice(release: "1.1")) > 0)
    #expect(try Self.faults(shared) == [])
  }

  @Test("any statement of another program that deletes names or slices is noticed between two batches")
  func anyProgram() throws {
    let releases = ["1.0", "1.1"]
    let scene = try Scene()
    let noticed = Mutex(0)
    scene.store.observeOthers { noticed.withLock { $0 += 1 } }
    try Self.apply(releases, sessions: 0..<20, at: Self.later, to: scene)
    #expect(noticed.withLock { $0 } == 0, "its own transactions are not another's")
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    for (round, sql) in [
      "DELETE FROM label", "DELETE FROM session; UPDATE row_count SET count = 0",
      "DELETE FROM slice; DELETE FROM release; DELETE FROM device; DELETE FROM cell; DELETE FROM marginal; "
        + "DELETE FROM daily; DELETE FROM day_pack; DELETE FROM session; DELETE FROM release_life; DELETE FROM arrival; "
        + "UPDATE row_count SET count = 0",
    ].enumerated() {
      try file.write { try $0.execute(sql: sql) }
      let start = UInt64(1000 * (round + 1))
      try Self.apply(releases, sessions: start..<start + 20, at: Self.later, to: scene)
      #expect(noticed.withLock { $0 } == round + 1)
      #expect(try Self.faults(scene) == [])
    }
    try scene.store.noticeOthers()
    #expect(noticed.withLock { $0 } == 3)
    try file.write { try $0.execute(sql: "UPDATE app_state SET last_received = 1") }
    try scene.store.noticeOthers()
    #expect(noticed.withLock { $0 } == 4)
  }

  @Test("two processes that compact and repair while a third digests lose nothing and leave no damaged row")
  func load() throws {
    let scene = try Scene()
    let path = scene.path("plumb.db")
    let old = (0..<40).map { "0.\($0)" }
    for chunk in 0..<4 {
      try Self.apply(Array(old[chunk * 10..<chunk * 10 + 10]), sessions: 0..<5, at: Scene.now, to: scene)
    }
    let isEnding = Mutex(false)
    let failures = Mutex<[String]>([])
    let crew = (0..<3).map { number in
      Worker {
        do {
          let other = try SQLiteStore(path: path)
          while !isEnding.withLock({ $0 }) {
            switch number {
            case 2: _ = try other.quarantineDamage()
            default: try other.compact(now: Self.night)
            }
          }
        } catch {
          failures.withLock { $0.append("\(number): \(error)") }
        }
      }
    }
    for round in 0..<40 {
      // An old release comes back, beside the one that all have.
      try Self.apply(
        [old[round], "1.0"], sessions: UInt64(1000 + 10 * round)..<UInt64(1010 + 10 * round), at: Self.later, to: scene)
    }
    isEnding.withLock { $0 = true }
    for worker in crew { worker.wait() }
    #expect(failures.withLock { $0 } == [])
    let alone = try Scene()
    for round in 0..<40 {
      try Self.apply(
        [old[round], "1.0"], sessions: UInt64(1000 + 10 * round)..<UInt64(1010 + 10 * round), at: Self.later, to: alone)
    }
    #expect(try Self.everything(scene, old + ["1.0"]) == Self.everything(alone, old + ["1.0"]))
    #expect(try Self.faults(scene) == [])
    #expect(try scene.store.quarantine().count == 0)
  }

  @Test("a read that meets damage starts its repair, and does not wait if repairs are delegated")
  func handedOver() throws {
    let scene = try Scene()
    try Self.apply(["1.0"], sessions: 0..<5, at: Self.later, to: scene)
    let started = Mutex(0)
    scene.store.handOverRepairs { started.withLock { $0 += 1 } }
    let file = try DatabaseQueue(path: scene.path("plumb.db"))
    try file.write { try $0.execute(sql: "UPDATE app_state SET last_received = 'garbage'") }
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try scene.store.lastReceived() }
      guard case .unavailable? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(started.withLock { $0 } == 2)
    #expect(try scene.store.quarantine().count == 0, "the read repaired it itself")
    try scene.store.repair()
    #expect(try scene.store.lastReceived() == [:])
    #expect(try scene.store.quarantine().count == 1)
  }
}

/// A thread of its own.
private struct Worker {
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread { [done] in
      body()
      done.signal()
    }
    thread.start()
  }

  func wait() { done.wait() }
}
