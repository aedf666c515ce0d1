import Logging
import Synchronization
import Testing

@testable import App
@testable import Core
@testable import Storage

@Suite("Readiness of the server")
struct ReadinessTests {
  private struct DiskFull: Error, CustomStringConvertible {
    let description = "journal.db: database or disk is full"
  }

  /// A clock that the test moves, in seconds.
  private final class Clock: Sendable {
    private let seconds = Mutex<Int64>(1_795_000_000)
    var now: Timestamp { Timestamp(milliseconds: seconds.withLock { $0 } * 1000) }
    func advance(_ by: Int64) { seconds.withLock { $0 += by } }
  }

  private let clock = Clock()
  private let log = LogLines()

  private func readiness() -> Readiness {
    Readiness(Logger(label: "test") { [log] _ in log }, clock: { [clock] in clock.now })
  }

  @Test("a failing part is named until it succeeds, logged at once, and then once a minute with its count")
  func faults() {
    let readiness = readiness()
    #expect(readiness.faults(isDigesting: true) == [])
    for _ in 0..<474 { readiness.failed(.journal, DiskFull()) }
    #expect(
      readiness.faults(isDigesting: true) == ["The journal cannot be written: journal.db: database or disk is full"])
    clock.advance(61)
    readiness.failed(.journal, DiskFull())
    readiness.succeeded(.journal)
    readiness.succeeded(.journal)
    #expect(readiness.faults(isDigesting: true) == [])
    #expect(
      log.lines == [
        "error The journal cannot be written: journal.db: database or disk is full",
        "error The journal cannot be written (474 more times, 475 in total): journal.db: database or disk is full",
        "notice The journal can be written again, after 475 failures.",
      ])
  }

  @Test("a digest with records that applies none for two minutes is a fault, and a slow one is not")
  func standstill() {
    let readiness = readiness()
    readiness.note(appended: 500, applied: 500)
    clock.advance(3600)
    readiness.note(appended: 600)
    clock.advance(119)
    #expect(readiness.faults(isDigesting: true) == [])
    readiness.note(applied: 501)
    clock.advance(119)
    #expect(readiness.faults(isDigesting: true) == [])
    clock.advance(1)
    #expect(readiness.faults(isDigesting: true) == ["99 records are waiting, and none was digested for 2 minutes"])
    // Another process that digests is not seen from here.
    #expect(readiness.faults(isDigesting: false) == [])
    readiness.note(applied: 600)
    #expect(readiness.faults(isDigesting: true) == [])
  }
}
