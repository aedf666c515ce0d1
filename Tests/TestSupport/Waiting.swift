import Foundation
import Glibc

/// Whether the condition becomes true within so many seconds: how long that takes depends on the machine.
public func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if try condition() { return true }
    usleep(5000)
  }
  return try condition()
}

/// Threads of its own for work that blocks, which must not take those of Swift.
public struct Crew: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let count: Int

  /// Starts so many threads, of which each calls `body` with its number.
  public init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    for index in 0..<count {
      let thread = Thread { [done] in
        body(index)
        done.signal()
      }
      thread.start()
    }
  }

  /// Whether all have ended in time.
  public func wait(seconds: Double) -> Bool {
    let deadline = DispatchTime.now() + seconds
    return (0..<count).allSatisfy { _ in done.wait(timeout: deadline) == .success }
  }

  /// Waits until all have ended.
  public func wait() {
    for _ in 0..<count { done.wait() }
  }
}

/// The processor time that this thread spends in `work`, in seconds. Unlike the time that passes, it does not depend on
/// what else the machine does, so that two of them can be compared.
public func processorTime(of work: () throws -> Void) rethrows -> Double {
  func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = seconds()
  try work()
  return seconds() - start
}
