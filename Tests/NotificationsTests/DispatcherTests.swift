import Foundation
import Testing
import TestSupport

@testable import Outbound
@testable import Storage

@Suite("The dispatcher", .serialized)
struct DispatcherTests {
  @Test("the dispatcher retries after 500, 503 and a closed connection, with the same key and longer pauses")
  func retries() throws {
    let answers: [Sink.Answer] = [.status(503), .close, .status(204)]
    let sink = Sink { number, _ in answers[number] }
    let pauses = Backoff()
    let outbox = try deliver([.webhook("ops", sink.address)], pauses: pauses)
    #expect(outbox.delivered.count == 1 && outbox.failures.isEmpty && outbox.waiting.isEmpty)
    #expect(sink.requests.map { $0.header("Idempotency-Key") } == Array(repeating: "7f3a-opened-2026-11-20", count: 3))
    #expect(Set(sink.requests.map(\.body)).count == 1)
    #expect(sink.requests[0].body == WebhookFormat.render(Sample.message))
    #expect(pauses.seconds == [1, 2])
  }

  @Test("the dispatcher gives up after three attempts, and the next run sends the message")
  func giveUp() throws {
    let sink = Sink { number, _ in number < 3 ? .status(500, body: "out of\norder") : .status(200) }
    let channel = Channel.webhook("ops", sink.address)
    let outbox = try deliver([channel])
    #expect(outbox.failures.map(\.failure.description) == ["HTTP 500: out of order"])
    #expect(outbox.failures.map(\.failure.kind) == [.passing] && outbox.waiting.count == 1)
    let next = Dispatcher(channels: [channel], environment: [:])
    #expect(try outbox.send(by: next).isEmpty)
    #expect(outbox.waiting.isEmpty && outbox.delivered.count == 1 && sink.requests.count == 4)
  }

  @Test("the dispatcher waits as long as a receiver requests, up to a run's limit")
  func retryAfter() throws {
    let sink = Sink { number, _ in number == 0 ? .status(429, headers: ["Retry-After: 7"]) : .status(200) }
    let pauses = Backoff()
    #expect(try deliver([.webhook("ops", sink.address)], pauses: pauses).delivered.count == 1)
    #expect(pauses.seconds == [7])

    let busy = Sink { _, _ in .status(429, headers: ["Retry-After: 3600"]) }
    let outbox = try deliver([.webhook("ops", busy.address)], pauses: pauses)
    #expect(outbox.failures.map(\.failure.kind) == [.passing])
    #expect(busy.requests.count == 1 && pauses.seconds == [7])
  }

  @Test("the dispatcher does not resend a refused message, shortens the receiver's answer, and sends the next message")
  func refused() throws {
    let words = "invalid_blocks: " + String(repeating: "long ", count: 1000)
    let sink = Sink { number, _ in number == 0 ? .status(400, body: words) : .status(200) }
    let outbox = try deliver([.webhook("ops", sink.address)], messages(2))
    let failure = try #require(outbox.failures.first?.failure)
    #expect(failure.kind == .refused && failure.description.hasPrefix("HTTP 400: invalid_blocks: long"))
    #expect(failure.description.count <= 300 && failure.description.hasSuffix("…"))
    #expect(outbox.delivered.map(\.message.identifier) == ["message-1"] && sink.requests.count == 2)
  }

  @Test(
    "the dispatcher leaves a channel's rest to the next run if all would fail alike", arguments: [401, 403, 404])
  func setup(status: Int) throws {
    let sink = Sink { _, _ in .status(status, body: "no_service") }
    let outbox = try deliver([.webhook("ops", sink.address)], messages(3))
    #expect(sink.requests.count == 1 && outbox.failures.count == 3)
    #expect(outbox.failures.allSatisfy { $0.failure == outbox.failures[0].failure && $0.failure.kind == .setup })
  }

  @Test("the dispatcher keeps messages in order, so that an end follows its beginning")
  func order() throws {
    let sink = Sink { _, _ in .status(200) }
    let outbox = try deliver([.webhook("ops", sink.address)], messages(20))
    #expect(sink.requests.map { $0.header("Idempotency-Key") } == (0..<20).map { "message-\($0)" })
    #expect(outbox.delivered.count == 20)
  }

  @Test("a slow channel and a dead one delay no other, and the run ends in time")
  func slow() throws {
    let slow = Sink { _, _ in .late(30) }
    let quick = Sink { _, _ in .status(200) }
    var limits = DispatchLimits()
    limits.total = 2
    let outbox = try deliver(
      [
        .webhook("slow", slow.address, timeout: 60), .webhook("dead", "http://127.0.0.1:1/"),
        .webhook("quick", quick.address),
      ], messages(3), limits: limits)
    // Had the run waited for the slow one, its message would have been delivered.
    #expect(outbox.delivered.map(\.channel) == ["quick", "quick", "quick"])
    #expect(Set(outbox.failures.map(\.delivery.channel)) == ["slow", "dead"])
    #expect(outbox.failures.count == 6 && outbox.failures.allSatisfy { $0.failure.kind == .passing })
  }

  @Test("the dispatcher ends even if a transport never returns", .timeLimit(.minutes(2)))
  func hanging() throws {
    struct Hanging: Transport {
      let end = DispatchSemaphore(value: 0)
      func send(_ request: WebRequest, _ options: TransferOptions) -> TransferResult { hang() }
      func send(_ request: MailRequest, _ options: TransferOptions) -> TransferResult { hang() }
      private func hang() -> TransferResult {
        end.wait()
        return .failed(reason: "late", isPassing: true)
      }
    }
    // It hangs until the run has ended.
    let transport = Hanging()
    defer { transport.end.signal() }
    var limits = DispatchLimits()
    limits.total = 0.5
    let dispatcher = Dispatcher(
      channels: [.webhook("ops", "https://a.example/")], environment: [:], limits: limits, transport: transport,
      pause: { _ in })
    let failed = try MemoryOutbox([Delivery(message: Sample.message, channel: "ops")]).send(by: dispatcher)
    #expect(failed.map(\.failure.kind) == [.passing] && failed[0].failure.description.contains("no answer"))
  }

  @Test("a channel that the settings do not have is reported, and the others get their messages")
  func unknown() throws {
    let sink = Sink { _, _ in .status(200) }
    let outbox = MemoryOutbox(["gone", "ops"].map { Delivery(message: Sample.message, channel: $0) })
    try outbox.send(by: Dispatcher(channels: [.webhook("ops", sink.address)], environment: [:]))
    #expect(outbox.delivered.map(\.channel) == ["ops"])
    #expect(outbox.failures.map(\.failure.description) == ["there is no channel gone in the settings"])
  }

  @Test("an error while a result is stored is thrown after everything was tried")
  func recordingFails() throws {
    struct Full: Error {}
    let sink = Sink { _, _ in .status(200) }
    let dispatcher = Dispatcher(channels: [.webhook("ops", sink.address)], environment: [:])
    let waiting = messages(3).map { Delivery(message: $0, channel: "ops") }
    var asked = 0
    #expect(throws: Full.self) {
      try dispatcher.deliver(waiting, now: Sample.time) { _, failure in
        #expect(failure == nil)
        asked += 1
        throw Full()
      }
    }
    #expect(asked == 3 && sink.requests.count == 3)
  }

  @Test("the test of a channel sends an incident and its end")
  func test() throws {
    let sink = Sink { _, _ in .status(200) }
    let dispatcher = Dispatcher(channels: [.webhook("ops", sink.address)], environment: [:])
    #expect(try dispatcher.sendTest(to: "ops", now: Sample.time).isEmpty)
    #expect(sink.requests.map { $0.header("Plumb-Event") } == ["opened", "resolved"])
    let incidents = try sink.requests.map { try texts($0.body).first { $0.path == "items.incident" }?.text }
    #expect(incidents[0] != nil && incidents[0] == incidents[1])
  }
}
