import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
@testable import PlumbClient

@Suite("A server that moves")
struct EndpointTests {
  private let place = TemporaryFolder()
  private let clock = TestClock()

  private var file: URL { place.url.appendingPathComponent("endpoint.json") }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test(
    "the key goes to another host only if both addresses use TLS, and never from TLS to plain text",
    arguments: [
      ("https://a.example/v1", "https://b.example/v2", true),
      ("https://a.example/v1", "https://a.example:444/v1", true),
      ("http://a.example/v1", "https://a.example/v1", true), ("http://a.example/v1", "http://a.example:81/v1", true),
      ("http://a.example/v1", "https://b.example/v1", false), ("http://a.example/v1", "http://b.example/v1", false),
      ("https://a.example/v1", "http://a.example/v1", false), ("https://a.example/v1", "file:///etc/passwd", false),
      ("https://a.example/v1", "https://user@b.example/v1", false),
      ("https://a.example/v1", "data:text/plain,x", false),
    ])
  func rules(old: String, new: String, isAllowed: Bool) throws {
    var endpoint = Endpoint(file: file, original: try url(old))
    let hasMoved = endpoint.move(to: try url(new))
    #expect(hasMoved == isAllowed)
    #expect(endpoint.url.absoluteString == (isAllowed ? new : old))
    let next = Endpoint(file: file, original: try url(old))
    #expect(next.url == endpoint.url)
  }

  @Test("a move is forgotten if the app has a new address, if the other server refuses, or if the file is damaged")
  func forgotten() throws {
    let (old, new) = (try url("https://a.example/v1"), try url("https://b.example/v1"))
    var endpoint = Endpoint(file: file, original: old)
    let hasMoved = endpoint.move(to: new)
    #expect(hasMoved)
    #expect(Endpoint(file: file, original: try url("https://c.example/v1")).url.host == "c.example")
    endpoint.forgetMove()
    #expect(endpoint.url == old && Endpoint(file: file, original: old).url == old)
    for text in ["", "{}", #"{"from":"https://a.example/v1"}"#, String(repeating: "[", count: 100_000)] {
      try Data(text.utf8).write(to: file)
      #expect(Endpoint(file: file, original: old).url == old)
    }
    let long = try url("https://b.example/" + String(repeating: "x", count: 3000))
    let hasMovedFar = endpoint.move(to: long)
    #expect(!hasMovedFar)
  }

  private func uploader(_ files: Int, _ transport: ScriptedTransport) throws -> (Uploader, PayloadQueue) {
    let queue = try PayloadQueue(
      folder: place.url.appendingPathComponent("queue"), limits: QueueLimits(), clock: clock.clock)
    for _ in 0..<files { queue.add(Data("{}".utf8), .measurements) }
    let uploader = Uploader(
      payloads: queue, server: try url("https://a.example"), key: "KEY", transport: transport, folder: place.url,
      clock: clock.clock, random: { 1 })
    return (uploader, queue)
  }

  @Test("servers that redirect to each other get a bounded number of requests, and the files wait")
  func loop() async throws {
    let there = UploadResult.moved(to: try url("https://b.example/v1/payloads"))
    let back = UploadResult.moved(to: try url("https://a.example/v1/payloads"))
    let transport = ScriptedTransport([there, back, there, back, there, back, there, back])
    let (uploader, queue) = try uploader(1, transport)
    uploader.start()
    #expect(await eventually { uploader.waitRemaining == 3600 })
    #expect(transport.sent.count == 6)
    #expect(queue.files.count == 1)
  }

  @Test("a moved server that refuses is asked at the app's address after the wait")
  func refusingTarget() async throws {
    let moved = UploadResult.moved(to: try url("https://b.example/v1/payloads"))
    let unknown = UploadResult.answered(status: 404, retryAfter: nil, isJSON: false)
    let transport = ScriptedTransport([moved, unknown, .answered(status: 202, retryAfter: nil, isJSON: true)])
    let (uploader, queue) = try uploader(1, transport)
    uploader.start()
    #expect(await eventually { uploader.waitRemaining == 3600 })
    #expect(queue.files.count == 1)
    clock.advance(3601)
    uploader.send()
    #expect(await eventually { queue.files.isEmpty })
    #expect(transport.addresses == ["https://a.example/v1/payloads", "https://b.example/v1/payloads"])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("only status 308 with an address is a move")
  func answers() throws {
    let asked = try url("https://a.example/v1/payloads")
    func result(_ status: Int, _ location: String?) throws -> UploadResult {
      let headers = location.map { ["Location": $0] }
      return UploadResult(
        try #require(HTTPURLResponse(url: asked, statusCode: status, httpVersion: nil, headerFields: headers)))
    }
    #expect(try result(308, "/new/payloads") == .moved(to: url("https://a.example/new/payloads")))
    for status in [301, 302, 303, 307] {
      #expect(UploadDecision(try result(status, "https://b.example/v1/payloads")) == .misdirected)
    }
    #expect(UploadDecision(try result(308, nil)) == .misdirected)
  }
}
