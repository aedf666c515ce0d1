import Testing
import TestSupport

@testable import Web

@Suite("Refusals after the headers")
struct RefusalTests {
  func refusing(_ change: (inout HTTPServer.Configuration) -> Void = { _ in }) throws -> Scene {
    try Scene(
      configure: change,
      admit: { head in
        head.header("x-KEY") == "right" ? .accept(bodyLimit: 1000) : .refuse(.problem(401, "No key"))
      }, echo)
  }

  @Test("a client that waits for 100 Continue is refused without sending its body")
  func expectRefused() throws {
    let scene = try refusing()
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 500\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.answer()?.status == 401)
    #expect(client.isClosed())
  }

  @Test("a client that waits for 100 Continue and is accepted gets it before the answer")
  func expectAccepted() throws {
    let scene = try refusing()
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nX-Key: right\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.answer()?.status == 100)
    client.write("abc")
    #expect(client.answer()?.text == "abc")
  }

  @Test("a refused body is read to its end before the answer, and the connection is kept")
  func drained() throws {
    let scene = try refusing()
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 500000\r\n\r\n")
    client.write([UInt8](repeating: 65, count: 499_999))
    #expect(client.isSilent(milliseconds: 200))
    client.write([65])
    #expect(client.answer()?.status == 401)
    client.write("POST", "/", body: [66], headers: "X-Key: right\r\n")
    #expect(client.answer()?.text == "B")
    #expect(scene.server.counters.bodiesInFlight == 0)
    #expect(scene.server.counters.refused == 1)
    #expect(scene.server.counters.clientErrors == 1)
  }

  @Test("a refused body above the reading limit is answered at once, and the connection is closed")
  func overReadLimit() throws {
    let scene = try refusing { $0.refusalReadLimit = 10_000 }
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10001\r\n\r\n")
    let refusal = client.answer()
    #expect(refusal?.status == 401)
    #expect(refusal?.header("connection") == "close")
    #expect(client.isClosed())
  }

  @Test("a refusal of a request without a body keeps the connection")
  func noBody() throws {
    let scene = try refusing()
    let client = scene.connect()
    client.write("GET", "/")
    #expect(client.answer()?.status == 401)
    client.write("GET", "/", headers: "x-key: right\r\n")
    #expect(client.answer()?.status == 200)
  }

  @Test(
    "a body whose length is ambiguous is refused, and the connection is closed",
    arguments: [
      ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400), ("Content-Length: 3\r\nContent-Length: 4\r\n", 400),
      ("Transfer-Encoding: xchunked\r\n", 501), ("Transfer-Encoding: gzip, chunked\r\n", 501),
      ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 501),
    ])
  func ambiguous(headers: String, status: Int) throws {
    let scene = try refusing()
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nX-Key: right\r\n\(headers)\r\n")
    #expect(client.answer()?.status == status)
    #expect(client.isClosed())
  }

  @Test(
    "a Content-Length beyond every integer gets 413", arguments: ["9223372036854775807", "9223372036854775808"])
  func enormous(length: String) throws {
    let scene = try refusing()
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nX-Key: right\r\nContent-Length: \(length)\r\n\r\n")
    #expect(client.answer()?.status == 413)
  }
}
