import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Server

@Suite("Log lines of one cause")
struct RepeatedLinesTests {
  @Test("are written once at first, then once a pause with how many there were; another cause is not held up")
  func repeated() {
    let lines = Mutex<[String]>([])
    let written = DispatchSemaphore(value: 0)
    let log = RepeatedLines(pause: .milliseconds(300))
    @Sendable func add(_ cause: String, _ text: String) {
      log.add(cause) { more in
        lines.withLock { $0.append(RepeatedLines.text(text, more)) }
        written.signal()
      }
    }
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in add("a", "broken") }
    #expect(lines.withLock { $0 } == ["broken"])
    add("b", "elsewhere")
    #expect(lines.withLock { $0 } == ["broken", "elsewhere"])
    for _ in 0..<3 { #expect(written.wait(timeout: .now() + 30) == .success) }
    #expect(lines.withLock { $0.last } == "broken (and 998 more of this kind within a minute)")
    // Once it was quiet for a whole pause, the next line is written at once.
    Thread.sleep(forTimeInterval: 0.9)
    add("a", "again")
    #expect(lines.withLock { $0.last } == "again")
  }
}
