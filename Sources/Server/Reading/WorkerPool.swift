import Dispatch
import Synchronization

/// Two threads for everything that reads the store or hashes a password, so that ingestion never waits for a page.
final class WorkerPool: Sendable {
  private let queue = DispatchQueue(label: "plumb.pages", qos: .utility, attributes: .concurrent)
  private let permits = DispatchSemaphore(value: 2)
  private let waiting = Atomic(0)

  /// Requests that wait beyond this many are turned away.
  private static let limit = 256

  /// Runs `work` on a worker. False when too much waits already.
  func run(_ work: @escaping @Sendable () -> Void) -> Bool {
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.limit else {
      waiting.subtract(1, ordering: .relaxed)
      return false
    }
    queue.async { [self] in
      permits.wait()
      defer {
        permits.signal()
        waiting.subtract(1, ordering: .relaxed)
      }
      work()
    }
    return true
  }
}
