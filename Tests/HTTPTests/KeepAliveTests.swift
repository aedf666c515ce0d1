import Testing
import TestSupport

@testable import Web

@Suite("Several requests on one connection")
struct KeepAliveTests {
  @Test("two consecutive requests are answered on one connection")
  func keepAlive() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    client.write("POST", "/a", body: [UInt8]("first".utf8))
    #expect(client.answer()?.text == "first")
    client.write("POST", "/a", body: [UInt8]("second".utf8))
    #expect(client.answer()?.text == "second")
    #expect(eventually { scene.server.counters.requestsInFlight == 0 })
    #expect(scene.server.counters.connections == 1)
    #expect(scene.server.counters.successful == 2)
  }

  /// libmicrohttpd takes 128 events from the system at once. Its own threads would wait for further events if they got
  /// exactly as many.
  @Test("requests that arrive together are answered, whatever their number", arguments: [1, 127, 128, 129, 256, 500])
  func together(count: Int) throws {
    let thread = BusyThread()
    let scene = try Scene(configure: { $0.threads = 1 }) { request, reply in
      thread.handle(request)
      reply.send(.text("done"))
    }
    let clients = (0..<count).map { _ in scene.connect() }
    for client in clients { #expect(client.get("/")?.text == "done") }
    let first = scene.connect()
    first.write("GET", "/wait")
    #expect(thread.waitUntilBusy())
    for client in clients { client.write("GET", "/") }
    thread.release()
    #expect(clients.allSatisfy { $0.answer()?.text == "done" })
    #expect(first.answer()?.text == "done")
  }

  @Test("pipelined requests are answered in order")
  func pipelining() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    let requests = (0..<50).map { "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n\(10 + $0)" }
    client.write(requests.joined())
    #expect((0..<50).allSatisfy { client.answer()?.text == "\(10 + $0)" })
  }

  @Test("pipelined requests stay in order if other threads answer them")
  func pipeliningAsync() throws {
    let kept = Kept()
    let scene = try Scene { _, reply in kept.add(reply) }
    let client = scene.connect()
    client.write(String(repeating: "GET / HTTP/1.1\r\nHost: t\r\n\r\n", count: 3))
    for turn in 0..<3 {
      #expect(kept.wait(for: 1))
      Crew(1) { _ in kept.take().forEach { $0.send(.text("answer \(turn)")) } }.wait()
      #expect(client.answer()?.text == "answer \(turn)")
    }
  }

  @Test("a request without keep-alive is answered and the connection closed")
  func close() throws {
    let scene = try Scene(echo)
    let client = scene.connect()
    client.write("GET", "/", headers: "Connection: close\r\n")
    #expect(client.answer()?.status == 200)
    #expect(client.isClosed())
  }

  @Test("64 connections with 100 requests each get exactly their own answers from other threads")
  func concurrency() throws {
    let queue = Answering()
    let scene = try Scene { request, reply in queue.add(request.body.count, reply) }
    Crew(66) { index in
      if index >= 64 { return queue.run(until: 3200) }
      let client = scene.connect()
      for turn in 0..<100 {
        let body = [UInt8](repeating: 120, count: index * 100 + turn)
        client.write("POST", "/", body: body)
        guard client.answer()?.text == "\(body.count)" else {
          Issue.record("connection \(index), request \(turn)")
          return queue.end()
        }
      }
    }.wait()
    #expect(scene.server.counters.successful == 6400)
  }
}
