import Foundation
import Testing
import TestSupport

@Suite("A body in chunks")
struct ChunkedTests {
  private let good = Payload.native(Payload.sessions(["a"]))

  @Test("a body in chunks is counted like one with a length", arguments: [1, 10, 100_000])
  func whole(size: Int) throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let client = try stage.serve().connect()
    for _ in 0..<3 { #expect(client.post(good.utf8, [("X-Plumb-Key", key)], chunks: size)?.status == 202) }
  }

  @Test("a chunked body above the limit gets 413 and is counted for its app, like one with a length")
  func outgrown() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve(environment: ["PLUMB_BODY_LIMIT": "2000"])
    let client = server.connect()
    let long = good + String(repeating: " ", count: 2000)
    let own = [("X-Plumb-Key", key)]
    for chunks in [nil, 100, 5000] {
      let answer = try #require(client.post(long.utf8, own, chunks: chunks))
      #expect(answer.status == 413 && answer.header("Content-Type") == "application/problem+json")
      #expect(try JSON(answer.text)["limit"].integer == 2000)
      #expect(answer.header("Access-Control-Allow-Origin") == "*")
    }
    #expect(client.post(good.utf8, own, chunks: 9)?.status == 202)
    // Nobody's: not counted for the app.
    #expect(client.post(long.utf8, [("X-Plumb-Key", "x")], chunks: 100)?.status == 401)
    #expect(server.stop() == .exit(0))
    #expect(try tallies(of: stage)["limited body too large"] == 3)
  }

  @Test("an endless chunked body gets 413 beyond the reading limit, and the connection is closed")
  func endless() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    let client = server.connect()
    client.write(
      Array("POST /v1/payloads?key=\(key) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
    let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 32, count: 1 << 20) + Array("\r\n".utf8)
    for _ in 0..<10 { client.write(chunk) }
    let answer = client.finalAnswer()
    #expect(answer?.status == 413 && answer?.header("Connection") == "close")
    #expect(answer?.header("Access-Control-Allow-Origin") == "*")
    #expect(server.stop() == .exit(0))
    #expect(try tallies(of: stage)["limited body too large"] == 1)
  }
}
