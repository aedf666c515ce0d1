import Dispatch
import Synchronization
import Testing

@testable import Web

@Suite("Log lines of failed logins")
struct LoginFailureReporterTests {
  @Test("a burst of failed logins is one line with its number and addresses, and the next burst is another")
  func once() {
    let lines = Mutex<[[Int]]>([])
    let written = DispatchSemaphore(value: 0)
    let failures = LoginFailureReporter(pause: .milliseconds(400)) { failed, addresses in
      lines.withLock { $0.append([failed, addresses]) }
      written.signal()
    }
    for burst in [["10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.1"], ["2001:db8::/64"]] {
      for address in burst { failures.add(address) }
      #expect(written.wait(timeout: .now() + 30) == .success)
    }
    #expect(lines.withLock { $0 } == [[4, 2], [1, 1]])
  }

  @Test("more than a thousand addresses of failed logins are counted as a thousand")
  func bound() {
    let line = Mutex<[Int]>([])
    let written = DispatchSemaphore(value: 0)
    let failures = LoginFailureReporter(pause: .seconds(2)) { failed, addresses in
      line.withLock { $0 = [failed, addresses] }
      written.signal()
    }
    for number in 0..<5_000 { failures.add("10.0.\(number)") }
    #expect(written.wait(timeout: .now() + 30) == .success)
    #expect(line.withLock { $0 } == [5_000, 1_000])
  }
}

@Suite("Log lines that requests cause")
struct LogThrottleTests {
  @Test("each of fifty causes logs one line at once and one per minute with its number")
  func repeated() {
    let written = Mutex<[String]>([])
    let lines = LogThrottle(pause: .milliseconds(400)) { line in written.withLock { $0.append(line) } }
    for number in 0..<10_000 { lines.add("A sign-in failed: reason \(number)") }
    lines.add("Another cause")
    let pause = DispatchSemaphore(value: 0)
    for _ in 0..<300 where written.withLock({ $0.count }) < 3 { _ = pause.wait(timeout: .now() + .milliseconds(100)) }
    #expect(
      written.withLock { $0 } == [
        "A sign-in failed: reason 0", "Another cause", "A sign-in failed: reason 9999 (9999 such lines in a minute)",
      ])
    written.withLock { $0 = [] }
    let others = LogThrottle(pause: .seconds(60)) { line in written.withLock { $0.append(line) } }
    for number in 0..<10_000 { others.add("\(number): made up") }
    // Fifty, and one for all others.
    #expect(written.withLock { $0.count } == 51)
  }
}
