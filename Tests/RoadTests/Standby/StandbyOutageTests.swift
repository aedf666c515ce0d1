import Foundation
import Testing
import TestSupport

@Suite("A standby in trouble")
struct StandbyOutageTests {
  private static let stopped = ProcessInfo.processInfo.environment["PLUMB_STANDBY_KILLS"] == nil ? 8.0 : 65

  @Test("a standby whose token is revoked says so once, keeps its pages, and cannot stop the primary")
  func revoked() throws {
    let scene = try StandbyScene()
    #expect(scene.send(NodeScene.session("a"), to: scene.primary)?.status == 202)
    #expect(scene.showsSessions(1))
    #expect(try scene.stage.run("token", "remove", "standby").succeeded)
    #expect(eventually { scene.ready.contains("It cannot be followed") && scene.ready.contains("answered 401") })
    #expect(scene.send(NodeScene.session("b"), to: scene.primary)?.status == 202)
    #expect(eventually { scene.metric("standby_seconds", of: scene.standby) ?? 0 > 3 })
    #expect(try scene.report(of: scene.standby)["sessions"]["total"].integer == 1)
    #expect(scene.standby.connect().get("/healthz")?.status == 200)
    let log = scene.standby.child.errors
    #expect(log.components(separatedBy: "The primary cannot be followed").count == 2, "\(log)")
    // The last records cannot be copied, so the primary must go on.
    let promoted = try scene.promote()
    #expect(!promoted.succeeded && promoted.errors.contains("answered 401"), "\(promoted.errors)")
    #expect(scene.send(NodeScene.session("c"), to: scene.primary)?.status == 202)
    // A start with the revoked token is told, too.
    #expect(scene.standby.stop() == .exit(0))
    try scene.startStandby(isNew: false)
    #expect(eventually { scene.metric("standby_seconds", of: scene.standby) ?? 0 > 1 })
    #expect(eventually { scene.ready.contains("answered 401") })
  }

  @Test("a standby follows again when its primary answers after a while, and takes over in time from one that does not")
  func silent() throws {
    let scene = try StandbyScene()
    #expect(scene.send(NodeScene.session("a"), to: scene.primary)?.status == 202)
    #expect(scene.showsSessions(1))
    scene.primary.child.signal(SIGSTOP)
    Thread.sleep(forTimeInterval: Self.stopped)
    #expect(scene.metric("standby_seconds", of: scene.standby) ?? 0 > Int(Self.stopped) - 3)
    #expect(try scene.report(of: scene.standby)["sessions"]["total"].integer == 1)
    scene.primary.child.signal(SIGCONT)
    #expect(scene.send(NodeScene.session("b"), to: scene.primary)?.status == 202)
    #expect(scene.showsSessions(2))

    scene.primary.child.signal(SIGSTOP)
    Thread.sleep(forTimeInterval: 1)
    let start = ContinuousClock.now
    let promoted = try scene.promote()
    #expect(promoted.succeeded, "\(promoted.errors)")
    #expect(scene.send(NodeScene.session("c"), to: scene.standby)?.status == 202)
    #expect(ContinuousClock.now - start < .seconds(10))
    scene.primary.child.signal(SIGCONT)
    #expect(eventually { scene.send(NodeScene.session("d"), to: scene.primary)?.status == 503 })
    #expect(scene.showsSessions(3))
  }

  @Test("a standby that is stopped while its primary does not answer ends within seconds")
  func stops() throws {
    let scene = try StandbyScene()
    scene.primary.child.signal(SIGSTOP)
    Thread.sleep(forTimeInterval: 1)
    #expect(scene.standby.stop(seconds: 10) == .exit(0))
    scene.primary.child.signal(SIGCONT)
  }

  @Test("a standby that is killed at any moment of the first copy or later has every record after its next start")
  func killed() throws {
    let scene = try StandbyScene()
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for round in 1...10 {
      #expect(scene.send(NodeScene.session("s\(round)"), to: scene.primary)?.status == 202)
      // Every other round begins with an empty folder, whose copy takes a few tenths of a second.
      try scene.startStandby(isNew: round % 2 == 1, killedAfter: .random(in: 10_000...600_000, using: &random))
    }
    try scene.startStandby(isNew: false)
    #expect(scene.showsSessions(10), "seed \(seed)")
    let (one, other) = try (scene.report(of: scene.primary), scene.report(of: scene.standby))
    #expect(one["sessions"]["users"].integer == other["sessions"]["users"].integer, "seed \(seed)")
  }

  @Test(
    "a standby whose disk is full says so and does not stop its primary, and follows again when there is space",
    .enabled(if: SmallDisk.isPermitted, "mounting a tmpfs needs root"))
  func full() throws {
    let scene = try StandbyScene(onDiskOf: 100)
    let disk = try #require(scene.disk)
    #expect(scene.send(NodeScene.session("a"), to: scene.primary)?.status == 202)
    #expect(scene.showsSessions(1))
    try disk.fill()
    var random = SeededRandom(seed: 5)
    // More than the last block of a file can take.
    for index in 0..<20 {
      let values = (0..<2000).map { _ in Int.random(in: 1...1_000_000, using: &random) }
      let body = Payload.native(Payload.measurements("screen.load", values))
      #expect(scene.send(body, to: scene.primary, as: "m\(index)")?.status == 202)
    }
    #expect(
      eventually { scene.ready.contains("cannot be followed") && scene.ready.contains("no space") }, "\(scene.ready)")
    #expect(scene.standby.connect().get("/healthz")?.status == 200)
    let promoted = try scene.promote()
    #expect(!promoted.succeeded && promoted.errors.contains("--force"), "\(promoted.errors)")
    #expect(scene.send(NodeScene.session("b"), to: scene.primary)?.status == 202, "nobody stopped it")
    try disk.clear()
    #expect(
      eventually(within: 90) {
        (try? scene.report(of: scene.standby).metric("screen.load")["n"].integer) == 40_000
      }, "\(scene.ready)")
    #expect(scene.showsSessions(2))
    #expect(!scene.ready.contains("cannot be followed"))
    #expect(try scene.promote().succeeded)
    #expect(scene.send(NodeScene.session("c"), to: scene.standby)?.status == 202)
  }

  @Test(
    "a clock that is an hour wrong on either side changes no number, also after a promotion", arguments: [-3600, 3600])
  func clocks(seconds: Int) throws {
    let scene = try StandbyScene(clock: seconds)
    for index in 0..<10 {
      #expect(scene.send(NodeScene.session("s\(index)"), to: scene.primary)?.status == 202)
    }
    #expect(scene.showsSessions(10))
    // The clock of the standby is really wrong: it gives the time of its data.
    let shown = try #require(scene.ready.firstMatch(of: /Data as of (\d\d):(\d\d):(\d\d) UTC/))
    let time = try #require(Int(shown.1)) * 3600 + #require(Int(shown.2)) * 60 + #require(Int(shown.3))
    let difference = (time - seconds - Int(Date().timeIntervalSince1970)) % 86400
    #expect(min(abs(difference), 86400 - abs(difference)) < 60)
    #expect(try eventually { try scene.report(of: scene.primary)["sessions"]["total"].integer == 10 })
    let (one, other) = try (scene.report(of: scene.primary), scene.report(of: scene.standby))
    for name in ["total", "crashed", "users"] {
      #expect(one["sessions"][name].integer == other["sessions"][name].integer, "\(name)")
    }
    #expect(scene.metric("standby_seconds", of: scene.standby) ?? 99 < 10)
    #expect(try scene.promote().succeeded)
    #expect(scene.send(NodeScene.session("late"), to: scene.standby)?.status == 202)
    #expect(scene.showsSessions(11))
    #expect(scene.standby.connect().get("/readyz")?.status == 200)
    // The other way round: a standby with the right clock follows the one with the wrong clock.
    scene.swap()
    try scene.startStandby()
    #expect(scene.showsSessions(11))
    #expect(scene.send(NodeScene.session("last"), to: scene.primary)?.status == 202)
    #expect(scene.showsSessions(12))
  }
}
