import Foundation
import Testing

@testable import PlumbClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers as a test says, and keeps what was sent.
final class ScriptedTransport: Transport, @unchecked Sendable {
  // Invariant: used with `lock` held.
  private let lock = NSLock()
  private var answers: [UploadResult]
  private var keys: [String] = []
  private var urls: Set<String> = []
  private var held: [String] = []
  private var cancels = 0
  private var ended: (@Sendable (String, UploadResult) -> Void)?
  private let before: Set<String>

  /// `answers`: one for each upload, the last for all further ones; none holds uploads back. `underway`: files that an
  /// earlier process sends.
  init(_ answers: [UploadResult], underway: Set<String> = []) {
    self.answers = answers
    before = underway
  }

  func begin(
    ended: @escaping @Sendable (String, UploadResult) -> Void, underway: @escaping @Sendable (Set<String>) -> Void
  ) {
    lock.withLock { self.ended = ended }
    underway(before)
  }

  func send(_ request: URLRequest, file: URL, name: String) {
    let answer: UploadResult? = lock.withLock {
      urls.insert(request.url?.absoluteString ?? "")
      keys.append(request.value(forHTTPHeaderField: "Idempotency-Key") ?? "")
      if answers.isEmpty { held.append(name) }
      return answers.count > 1 ? answers.removeFirst() : answers.first
    }
    if let answer { end(name, answer) }
  }

  func cancelAll() {
    let names = lock.withLock {
      cancels += 1
      defer { held = [] }
      return held
    }
    for name in names { end(name, .failed) }
  }

  func end(_ name: String, _ result: UploadResult) { lock.withLock { ended }?(name, result) }

  var addresses: Set<String> { lock.withLock { urls } }
  var sent: [String] { lock.withLock { keys } }
  var cancellations: Int { lock.withLock { cancels } }
  var holding: [String] { lock.withLock { held } }
}

@Suite("The uploader")
struct UploaderTests {
  private let place = TemporaryFolder()
  private let clock = TestClock()

  private func answer(_ status: Int, retryAfter: TimeInterval? = nil, isJSON: Bool = true) -> UploadResult {
    .answered(status: status, retryAfter: retryAfter, isJSON: isJSON)
  }

  private func queue(_ count: Int) throws -> PayloadQueue {
    let queue = try PayloadQueue(
      folder: place.url.appendingPathComponent("queue"), limits: QueueLimits(), clock: clock.clock)
    for number in 0..<count { queue.add(Data("{\"n\":\(number)}".utf8), .measurements) }
    return queue
  }

  private func uploader(_ queue: PayloadQueue, _ transport: Transport) throws -> Uploader {
    Uploader(
      payloads: queue, server: try #require(URL(string: "https://plumb.example/vitals")), key: "KEY",
      transport: transport, folder: place.url, clock: clock.clock, random: { 1 })
  }

  @Test(
    "each HTTP status decides what happens to the file",
    arguments: [
      (200, true, UploadDecision.delivered), (202, true, .delivered), (202, false, .misdirected),
      (200, false, .misdirected),
      (204, true, .misdirected), (302, true, .misdirected), (400, true, .lost(.refused)), (400, false, .misdirected),
      (401, true, .misdirected), (403, true, .misdirected), (404, true, .misdirected), (405, true, .misdirected),
      (408, true, .later(atLeast: 0)), (413, true, .lost(.large)), (413, false, .lost(.large)),
      (415, true, .lost(.refused)),
      (429, true, .later(atLeast: 0)), (500, false, .later(atLeast: 0)), (502, false, .later(atLeast: 0)),
      (503, true, .later(atLeast: 0)),
    ])
  func decisions(_ status: Int, _ isJSON: Bool, _ decision: UploadDecision) {
    #expect(UploadDecision(answer(status, isJSON: isJSON)) == decision)
  }

  @Test("Retry-After is read as seconds, or as a date relative to the server's clock")
  func retryAfter() throws {
    let url = try #require(URL(string: "https://plumb.example"))
    func read(_ headers: [String: String]) throws -> UploadResult {
      UploadResult(try #require(HTTPURLResponse(url: url, statusCode: 503, httpVersion: nil, headerFields: headers)))
    }
    #expect(try read(["Retry-After": "17"]) == answer(503, retryAfter: 17, isJSON: false))
    #expect(try read(["Retry-After": "soon"]) == answer(503, isJSON: false))
    let dates = ["Date": "Fri, 20 Nov 2026 10:00:00 GMT", "Retry-After": "Fri, 20 Nov 2026 10:05:00 GMT"]
    #expect(try read(dates) == answer(503, retryAfter: 300, isJSON: false))
    #expect(
      try read(["Content-Type": "application/problem+json; charset=utf-8"]) == answer(503, isJSON: true))
    #expect(UploadDecision(answer(429, retryAfter: -5)) == .later(atLeast: 0))
    #expect(UploadDecision(answer(429, retryAfter: 1e9)) == .later(atLeast: 86_400))
  }

  @Test("files that the server accepts are deleted, and so are files that it never accepts")
  func deletes() async throws {
    let queue = try queue(6)
    let transport = ScriptedTransport([answer(202), answer(200), answer(400), answer(413), answer(202)])
    let uploader = try uploader(queue, transport)
    uploader.start()
    #expect(await eventually { queue.files.isEmpty })
    #expect(transport.sent.count == 6)
    #expect(transport.addresses == ["https://plumb.example/vitals/v1/payloads"])
    #expect(queue.takeLosses() == [.refused: 1, .large: 1])
    #expect(uploader.waitRemaining <= 0)
  }

  @Test("with a wrong key files are kept, and are not retried at once")
  func wrongKey() async throws {
    let queue = try queue(9)
    let transport = ScriptedTransport([answer(401)])
    let uploader = try uploader(queue, transport)
    uploader.start()
    #expect(await eventually { uploader.waitRemaining == 3600 && uploader.filesUnderway.isEmpty })
    uploader.send()
    #expect(uploader.waitRemaining == 3600)
    #expect(queue.files.count == 9)
    #expect(transport.sent.count <= 4)
    // After the wait one file finds out whether the key works.
    let before = transport.sent.count
    clock.advance(3601)
    uploader.send()
    #expect(await eventually { uploader.waitRemaining == 7200 })
    #expect(transport.sent.count == before + 1)
  }

  @Test("every attempt for a file sends the same key until the server answers", arguments: [429, 503, 500, 0])
  func retries(_ status: Int) async throws {
    let queue = try queue(1)
    let refusal = status == 0 ? UploadResult.failed : answer(status, retryAfter: 30)
    let transport = ScriptedTransport([refusal, refusal, refusal, answer(202)])
    let uploader = try uploader(queue, transport)
    uploader.start()
    for attempt in 1...3 {
      #expect(await eventually { transport.sent.count == attempt && uploader.waitRemaining > 0 })
      #expect(uploader.waitRemaining >= (status == 0 ? 5 : 30))
      clock.advance(uploader.waitRemaining + 1)
      uploader.send()
    }
    #expect(await eventually { queue.files.isEmpty })
    #expect(transport.sent.count == 4)
    #expect(Set(transport.sent).count == 1)
  }

  @Test("four uploads that fail together count as one failure")
  func burst() async throws {
    let queue = try queue(8)
    let transport = ScriptedTransport([])
    let uploader = try uploader(queue, transport)
    uploader.start()
    #expect(await eventually { transport.holding.count == 4 })
    for name in transport.holding { transport.end(name, .failed) }
    #expect(await eventually { uploader.filesUnderway.isEmpty })
    #expect(uploader.waitRemaining == 5)
    #expect(queue.files.count == 8)
  }

  @Test("an upload that an earlier process began is not sent again, and its outcome is received")
  func earlierProcess() async throws {
    let queue = try queue(3)
    let early = queue.files[0].name
    let transport = ScriptedTransport([answer(202)], underway: [early])
    let uploader = try uploader(queue, transport)
    uploader.start()
    #expect(await eventually { queue.files.map(\.name) == [early] })
    transport.end(early, answer(202))
    #expect(await eventually { queue.files.isEmpty })
    #expect(transport.sent.count == 2)
  }
}
