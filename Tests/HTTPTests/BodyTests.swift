import Glibc
import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("Request bodies")
struct BodyTests {
  @Test("a chunked request body arrives completely")
  func chunked() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
    client.write("5\r\nhello\r\n")
    client.write("7;note=x\r\n, world\r\n0\r\n\r\n")
    #expect(client.answer()?.text == "hello, world")
    client.write("GET", "/")
    #expect(client.answer()?.status == 200)
  }

  @Test("a body of exactly the limit is accepted; one byte more gets 413 and the connection is kept")
  func limit() throws {
    let scene = try Scene(limit: 1000) { request, reply in reply.send(.text("\(request.body.count)")) }
    let client = scene.connect()
    client.write("POST", "/", body: [UInt8](repeating: 65, count: 1000))
    #expect(client.answer()?.text == "1000")
    client.write("POST", "/", body: [UInt8](repeating: 65, count: 1001))
    let refusal = client.answer()
    #expect(refusal?.status == 413)
    #expect(refusal?.header("content-type") == "application/problem+json")
    #expect(refusal?.text.contains("\"limit\":1000") == true)
    client.write("POST", "/", body: [65])
    #expect(client.answer()?.text == "1")
    #expect(scene.server.counters.refused == 1)
  }

  @Test("a chunked body of the limit is accepted; one byte more gets 413 and the connection is kept")
  func chunkedLimit() throws {
    let scene = try Scene(limit: 1000) { request, reply in reply.send(.text("\(request.body.count)")) }
    let client = scene.connect()
    let head = "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
    let block = "1f4\r\n" + String(repeating: "x", count: 500) + "\r\n"
    client.write(head + block + block + "0\r\n\r\n")
    #expect(client.answer()?.text == "1000")
    client.write(head + block + block + "1\r\nx\r\n0\r\n\r\n")
    #expect(client.answer()?.status == 413)
    client.write("POST", "/", body: [65])
    #expect(client.answer()?.text == "1")
  }

  @Test("an endless chunked body gets 413 and the connection is closed")
  func endless() throws {
    let scene = try Scene(limit: 1000, configure: { $0.refusalReadLimit = 100_000 }, echo)
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
    let block = [UInt8]("2710\r\n".utf8) + [UInt8](repeating: 120, count: 10_000) + [UInt8]("\r\n".utf8)
    for _ in 0..<15 { client.write(block) }
    let refusal = client.answer()
    #expect(refusal?.status == 413)
    #expect(refusal?.header("connection") == "close")
    #expect(eventually { !client.write(block) })
  }

  @Test("64 zero bytes follow every body", arguments: [0, 1, 63, 64, 9_000, 65_536, 200_000])
  func padding(size: Int) throws {
    let scene = try Scene { request, reply in
      let zeros = UnsafeRawBufferPointer(start: request.body.baseAddress! + request.body.count, count: 64)
      let sum = request.body.reduce(0) { $0 + Int($1) }
      reply.send(.text("\(request.body.count) \(sum) \(zeros.allSatisfy { $0 == 0 })"))
    }
    let client = scene.connect()
    client.write("POST", "/", body: [UInt8](repeating: 255, count: size))
    #expect(client.answer()?.text == "\(size) \(size * 255) true")
    client.write("POST", "/", body: [])
    #expect(client.answer()?.text == "0 0 true")
  }

  @Test("a body that exceeds the memory for all bodies gets 503, and fits again afterwards")
  func share() throws {
    let scene = try Scene(configure: { $0.bodiesInFlight = 1_000_000 }) { request, reply in
      reply.send(.text("\(request.body.count)"))
    }
    let first = scene.connect()
    let second = scene.connect()
    first.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 800000\r\n\r\n")
    first.write([UInt8](repeating: 65, count: 799_999))
    #expect(eventually { scene.server.counters.bodiesInFlight >= 799_999 })
    second.write("POST", "/", body: [UInt8](repeating: 66, count: 800_000))
    let refusal = second.answer()
    #expect(refusal?.status == 503)
    #expect(refusal?.header("retry-after") != nil)
    first.write([65])
    #expect(first.answer()?.text == "800000")
    second.write("POST", "/", body: [UInt8](repeating: 66, count: 800_000))
    #expect(second.answer()?.text == "800000")
    #expect(scene.server.counters.bodiesInFlight == 0)
  }

  @Test("bytes that a client announces but does not send use no memory")
  func announced() throws {
    let scene = try Scene(limit: 1 << 30, echo)
    let client = scene.connect()
    client.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000000\r\n\r\nx")
    #expect(eventually { scene.server.counters.bodiesInFlight > 0 })
    #expect(scene.server.counters.bodiesInFlight <= 65_536)
  }

  @Test("a client that disconnects during a body leaves nothing behind")
  func abandoned() throws {
    let scene = try Scene(echo)
    var client: HTTPClient? = scene.connect()
    client?.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\nabc")
    #expect(eventually { scene.server.counters.bodiesInFlight > 0 })
    client = nil
    #expect(eventually { scene.server.counters.connections == 0 })
    #expect(scene.server.counters.bodiesInFlight == 0)
    #expect(scene.server.counters.requestsInFlight == 0)
  }
}
