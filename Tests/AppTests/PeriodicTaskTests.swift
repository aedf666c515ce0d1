import Foundation
import Synchronization
import Testing
import TestSupport

@testable import App
@testable import Core

@Suite("Periodic tasks")
struct PeriodicTaskTests {
  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  @Test("periodic tasks log an error once, again if it changed or is a minute old, and again after a success")
  func errors() throws {
    let scene = try AppScene()
    var now = Timestamp(milliseconds: 1_795_166_100_000)
    var failure: String? = "disk"
    var others = 0
    let task = PeriodicTask("test", every: 3600, clock: { now }, scene.logger) { task in
      task.attempt("It failed") { if let failure { throw Failure(description: failure) } }
      // The rest of a run goes on, with errors of its own.
      task.attempt("So did this") { others += 1 }
    }
    func lines(after seconds: Int64, failing with: String?) -> [String] {
      now.milliseconds += seconds * 1000
      failure = with
      let before = scene.log.lines.count
      task.run()
      return Array(scene.log.lines[before...])
    }
    #expect(lines(after: 0, failing: "disk") == ["error It failed: disk"])
    #expect(lines(after: 1, failing: "disk") == [])
    #expect(lines(after: 58, failing: "disk") == [])
    #expect(lines(after: 1, failing: "disk") == ["error It failed: disk"])
    #expect(lines(after: 1, failing: "lock") == ["error It failed: lock"])
    #expect(lines(after: 1, failing: nil) == [])
    #expect(lines(after: 1, failing: "lock") == ["error It failed: lock"])
    // A clock that is set back makes no error a new one for as long as it was set back.
    #expect(lines(after: -7200, failing: "lock") == ["error It failed: lock"])
    #expect(others == 8)
  }

  @Test("the nightly copy is made once a day from 03:00 UTC, and not below the minimum of free space")
  func nightlyCopy() throws {
    let scene = try AppScene()
    try scene.fill(AppScene.sessions(1))
    let three = AppScene.now.day().startUTC.milliseconds + 27 * 3_600_000
    let time = Atomic(three - 1)
    let free = Atomic(1 << 40)
    let clock = PlausibleClock(
      newest: AppScene.now, wall: { Timestamp(milliseconds: time.load(ordering: .relaxed)) },
      elapsed: { time.load(ordering: .relaxed) })
    let space = SpaceWatch(
      SpaceFloor(bytes: 1000, share: nil), scene.logger,
      measure: { FreeSpace(free: free.load(ordering: .relaxed), total: 1 << 40) })
    let task = PeriodicTasks(clock, scene.logger).nightlyCopy(scene.installation.folder, keeping: 3, space)
    func copies() throws -> Int {
      space.look()
      task.run()
      return try AutomaticBackups(scene.installation.folder).all().count
    }
    #expect(try copies() == 0)
    time.store(three, ordering: .relaxed)
    free.store(999, ordering: .relaxed)
    #expect(try copies() == 0)
    free.store(1 << 40, ordering: .relaxed)
    #expect(try copies() == 1)
    #expect(try copies() == 1)
  }

  @Test("periodic tasks run at their interval from start to stop, one run at a time")
  func schedule() throws {
    let scene = try AppScene()
    let runs = Mutex((count: 0, running: 0, most: 0))
    let task = PeriodicTask("test", after: 0, every: 0.01, clock: { AppScene.now }, scene.logger) { _ in
      runs.withLock {
        $0.running += 1
        $0.most = max($0.most, $0.running)
      }
      usleep(15_000)
      runs.withLock {
        $0.running -= 1
        $0.count += 1
      }
    }
    usleep(30_000)
    #expect(runs.withLock { $0.count } == 0, "it has not been started")
    task.start()
    _ = eventually { runs.withLock { $0.count } >= 3 }
    task.stop()
    // A run that had begun may end.
    usleep(100_000)
    let count = runs.withLock { $0.count }
    #expect(count >= 3)
    usleep(100_000)
    #expect(runs.withLock { $0.count } == count && runs.withLock { $0.most } == 1)
  }
}
