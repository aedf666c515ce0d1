import Testing

@testable import Web

@Suite("One connection, several requests")
struct KeepAliveTests {
  @Test("two requests in turn are answered on one connection")
  func keepAlive() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    client.post("/a", body: [UInt8]("first".utf8))
    #expect(client.answer()?.body == "first")
    client.post("/a", body: [UInt8]("second".utf8))
    #expect(client.answer()?.body == "second")
    #expect(eventually { scene.server.counters.requestsInFlight == 0 })
    #expect(scene.server.counters.connections == 1)
    #expect(scene.server.counters.successful == 2)
  }

  @Test("pipelined requests are answered in their order")
  func pipelining() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    let requests = (0..<50).map { "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n\(10 + $0)" }
    client.send(requests.joined())
    #expect((0..<50).allSatisfy { client.answer()?.body == "\(10 + $0)" })
  }

  @Test("pipelined requests stay in order when other threads answer them")
  func pipeliningAsync() throws {
    let kept = Kept()
    let scene = try Scene { _, reply in kept.add(reply) }
    let client = scene.connect()
    client.send(String(repeating: "GET / HTTP/1.1\r\nHost: t\r\n\r\n", count: 3))
    for turn in 0..<3 {
      #expect(kept.wait(for: 1))
      onThreads(1) { _ in kept.take().forEach { $0.send(.text("answer \(turn)")) } }
      #expect(client.answer()?.body == "answer \(turn)")
    }
  }

  @Test("a request without keep-alive is answered and the connection closed")
  func close() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    client.get("/", headers: "Connection: close\r\n")
    #expect(client.answer()?.status == 200)
    #expect(client.isClosed())
  }

  @Test("64 connections with 100 requests each get exactly their own answers from other threads")
  func concurrency() throws {
    let queue = Answering()
    let scene = try Scene { request, reply in queue.add(request.body.count, reply) }
    onThreads(66) { index in
      if index >= 64 { return queue.run(until: 3200) }
      let client = scene.connect()
      for turn in 0..<100 {
        let body = [UInt8](repeating: 120, count: index * 100 + turn)
        client.post("/", body: body)
        guard client.answer()?.body == "\(body.count)" else {
          Issue.record("connection \(index), request \(turn)")
          return queue.end()
        }
      }
    }
    #expect(scene.server.counters.successful == 6400)
  }
}
