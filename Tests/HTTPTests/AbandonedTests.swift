import Glibc
import Testing
import TestSupport

@testable import Web

@Suite("Clients that disconnect during a request")
struct AbandonedTests {
  private static let head = "POST / HTTP/1.1\r\nHost: t\r\n"

  @Test(
    "abandoned connections and the memory of their bodies are released within two seconds",
    arguments: [
      "POST / HT", head, head + "Content-Length: 3000000\r\n\r\n",
      head + "Content-Length: 3000000\r\n\r\n" + String(repeating: "x", count: 200_000),
      head + "Content-Length: 100\r\n\r\nhalf of it", head + "Expect: 100-continue\r\nContent-Length: 100\r\n\r\nhalf",
      head + "Transfer-Encoding: chunked\r\n\r\n", head + "Transfer-Encoding: chunked\r\n\r\n20\r\nhalf",
    ], [false, true])
  func gone(start: String, isReset: Bool) throws {
    let pool = BodyMemoryPool(limit: 64 << 20)
    let account = BodyAccount(in: pool)
    let scene = try Scene(
      limit: 8 << 20, configure: { $0.idleTimeout = .seconds(60) },
      admit: { _ in .accept(bodyLimit: 8 << 20, account: account) }
    ) { _, reply in reply.send(.text("complete")) }
    for _ in 0..<40 {
      let client = scene.connect()
      // The bytes and the end of the connection often arrive as one event.
      client.write(start)
      if isReset { client.resetOnClose() }
    }
    #expect(eventually { scene.server.counters.connections == 0 && pool.used == 0 })
  }

  @Test("a client that closes only its sending side after a complete request gets its answer")
  func halfClosed() throws {
    let scene = try Scene(limit: 8 << 20) { request, reply in
      usleep(400_000)
      reply.send(.text("\(request.body.count)"))
    }
    let clients = (0..<4).map { _ in scene.connect() }
    for client in clients {
      client.write("POST", "/", body: [UInt8](repeating: 120, count: 300_000))
      client.closeSending()
    }
    for client in clients { #expect(client.answer()?.text == "300000") }
  }

  @Test("a client that closes its sending side with its request gets an answer that comes later")
  func halfClosedBefore() throws {
    let kept = Kept()
    let thread = BusyThread()
    let scene = try Scene(configure: { $0.threads = 1 }) { request, reply in
      thread.handle(request)
      kept.add(reply)
    }
    let first = scene.connect()
    first.write("GET", "/wait")
    #expect(thread.waitUntilBusy())
    // The thread is busy, so it meets each request together with the end of the client's data.
    let clients = (0..<60).map { _ in scene.connect() }
    for client in clients {
      client.write("POST", "/", body: [120])
      client.closeSending()
    }
    thread.release()
    #expect(kept.wait(for: 61))
    for reply in kept.take() { reply.send(.text("stored", status: 202)) }
    #expect(clients.allSatisfy { $0.answer()?.status == 202 })
    #expect(first.answer()?.status == 202)
  }
}
