import Foundation
import Testing

@testable import PlumbClient

@Suite("Back-off")
struct BackoffTests {
  private let place = TemporaryFolder()
  private let clock = TestClock()

  private func backoff(random: Double = 1, target: String = "https://plumb.example key") -> Backoff {
    Backoff(
      file: place.url.appendingPathComponent("backoff.json"), target: target, clock: clock.clock, random: { random })
  }

  @Test("waits double from 5 seconds to an hour, and half of each wait is random")
  func growth() {
    var most = backoff(random: 1)
    var waits: [TimeInterval] = []
    for _ in 0..<12 {
      most.failed(atLeast: 0)
      waits.append(most.remaining)
    }
    #expect(waits == [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
    var least = Backoff(
      file: place.url.appendingPathComponent("other"), target: "", clock: clock.clock, random: { 0 })
    least.failed(atLeast: 0)
    #expect(least.remaining == 2.5)
  }

  @Test("a server's Retry-After is the minimum wait, extended by up to half a minute")
  func retryAfter() {
    var backoff = backoff(random: 1)
    backoff.failed(atLeast: 600)
    #expect(backoff.remaining == 630)
    backoff.succeeded()
    #expect(backoff.remaining <= 0)
    backoff.failed(atLeast: 1e12)
    #expect(backoff.remaining == 86_400)
  }

  @Test("a wrong key is retried after an hour, then more and more rarely, but at least once a day")
  func wrongKey() {
    var backoff = backoff()
    var waits: [TimeInterval] = []
    for _ in 0..<7 {
      backoff.failedByAddressOrKey()
      waits.append(backoff.remaining)
    }
    #expect(waits == [3600, 7200, 14_400, 28_800, 57_600, 86_400, 86_400])
  }

  @Test("the next process waits for the remaining time, but not if it has another key")
  func restart() {
    var first = backoff()
    for _ in 0..<8 { first.failed(atLeast: 0) }
    clock.advance(100)
    clock.restart()
    let second = backoff()
    #expect(abs(second.remaining - 540) < 0.01)
    #expect(second.failures == 8)
    #expect(backoff(target: "https://plumb.example new-key").remaining <= 0)
  }

  @Test("changing the wall clock does not move a wait of this process, and never lengthens the next one's")
  func clockChanges() {
    var first = backoff()
    for _ in 0..<8 { first.failed(atLeast: 0) }
    let start = clock.now
    clock.now = start.addingTimeInterval(-365 * 86_400)
    #expect(first.remaining == 640)
    #expect(backoff().remaining == 640)
    clock.now = start.addingTimeInterval(365 * 86_400)
    #expect(first.remaining == 640)
    #expect(backoff().remaining == 0)
  }

  @Test("a damaged file means that nothing failed")
  func damaged() throws {
    for text in ["", "{", "[1]", #"{"failures":-5,"since":1e400,"delay":1,"target":0}"#] {
      try Data(text.utf8).write(to: place.url.appendingPathComponent("backoff.json"))
      #expect(backoff().remaining <= 0)
    }
  }

  @Test("the back-off file does not contain the key")
  func secrecy() throws {
    var backoff = backoff(target: "https://plumb.example 18883716a30d8ab3")
    backoff.failed(atLeast: 0)
    let text = try String(contentsOf: place.url.appendingPathComponent("backoff.json"), encoding: .utf8)
    #expect(text.contains("failures"))
    #expect(!text.contains("18883716a30d8ab3"))
  }
}
