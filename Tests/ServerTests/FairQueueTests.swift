import Dispatch
import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("Work in fair turns")
struct FairQueueTests {
  private final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
  }

  /// Spends time as work does.
  private static func spend(_ milliseconds: UInt64) {
    let end = DispatchTime.now().uptimeNanoseconds + milliseconds * 1_000_000
    while DispatchTime.now().uptimeNanoseconds < end {}
  }

  @Test("one job of another client does not wait behind a flood of a hundred")
  func flood() {
    let queue = FairQueue<Int>(label: "test", threads: 1, limit: 400)
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    let log = Log()
    #expect(queue.run(for: 1) { gate.wait() })
    for _ in 0..<100 {
      done.enter()
      #expect(
        queue.run(for: 1) {
          Self.spend(1)
          log.add("flood")
          done.leave()
        })
    }
    for _ in 0..<3 {
      done.enter()
      #expect(
        queue.run(for: 2) {
          log.add("other")
          done.leave()
        })
    }
    gate.signal()
    #expect(done.wait(timeout: .now() + .seconds(20)) == .success)
    #expect(log.all.count == 103)
    #expect((log.all.lastIndex(of: "other") ?? 103) < 10)
  }

  @Test("a waiting client may have half of the places, and one is left for another")
  func places() {
    let queue = FairQueue<Int>(label: "test", threads: 1, limit: 16)
    let gate = DispatchSemaphore(value: 0)
    let isRunning = DispatchSemaphore(value: 0)
    #expect(
      queue.run(for: 0) {
        isRunning.signal()
        gate.wait()
      })
    isRunning.wait()
    let taken = (0..<100).filter { _ in queue.run(for: 1) {} }.count
    #expect(taken == 8)
    #expect(queue.run(for: 2) {})
    #expect((0..<100).filter { _ in queue.run(for: 2) {} }.count < 8)
    #expect(queue.run(for: 3) {})
    gate.signal()
    #expect(eventually { queue.waiting == 0 })
    #expect(queue.run(for: 1) {})
  }

  @Test("a finished job leaves nothing in memory while others wait")
  func released() {
    final class Body: Sendable {}
    let queue = FairQueue<Int>(label: "test", threads: 1, limit: 16)
    let gate = DispatchSemaphore(value: 0)
    let hasRun = DispatchSemaphore(value: 0)
    weak var left: Body?
    do {
      let body = Body()
      left = body
      #expect(queue.run(for: 1) { withExtendedLifetime(body) {} })
    }
    #expect(
      queue.run(for: 1) {
        hasRun.signal()
        gate.wait()
      })
    #expect(queue.run(for: 1) {})
    hasRun.wait()
    #expect(left == nil)
    gate.signal()
  }

  @Test("every accepted job runs once, from many threads at the same time")
  func threads() {
    let queue = FairQueue<Int>(label: "test", threads: 3, limit: 10_000)
    let ran = Log()
    let taken = Log()
    DispatchQueue.concurrentPerform(iterations: 4) { owner in
      for job in 0..<500 where queue.run(for: owner, { ran.add("\(owner) \(job)") }) { taken.add("\(owner) \(job)") }
    }
    #expect(eventually { queue.waiting == 0 && ran.all.count == taken.all.count })
    #expect(ran.all.sorted() == taken.all.sorted())
    #expect(ran.all.count == 2000)
  }
}
