import Glibc
import Synchronization
import TestSupport

@testable import Web

/// A queue of requests that threads of the test answer with the length of their body.
final class Answering: Sendable {
  private let waiting = Mutex<[(Int, PendingReply)]>([])
  private let ended = Atomic<Bool>(false)

  func add(_ length: Int, _ reply: PendingReply) { waiting.withLock { $0.append((length, reply)) } }
  func end() { ended.store(true, ordering: .relaxed) }

  /// Answers until `count` requests are done, or the test has failed.
  func run(until count: Int) {
    var done = 0
    while done < count, !ended.load(ordering: .relaxed) {
      guard let (length, reply) = waiting.withLock({ $0.popLast() }) else {
        usleep(100)
        continue
      }
      reply.send(.text("\(length)"))
      done += 1
    }
  }
}
