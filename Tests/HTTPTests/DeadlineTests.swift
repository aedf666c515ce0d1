import Glibc
import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("The request deadline")
struct DeadlineTests {
  @Test(
    "a client that sends a byte now and then is cut off at the deadline and not before",
    arguments: [
      "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n", "GET / HTTP/1.1\r\nX-Long: ", "GET /",
    ])
  func slow(start: String) throws {
    let clock = ManualClock()
    let scene = try Scene(configure: { clock.configure(&$0) }, echo)
    let client = scene.connect()
    client.write(start)
    #expect(eventually { scene.server.counters.connections == 1 })
    for _ in 0..<20 {
      #expect(client.write("x"))
      usleep(5000)
    }
    #expect(scene.server.counters.closedAtDeadline == 0)
    #expect(
      eventually {
        clock.advance(milliseconds: 50)
        return scene.server.counters.closedAtDeadline == 1
      })
    #expect(client.isClosed())
    #expect(eventually { scene.server.counters.connections == 0 })
  }

  @Test("a client that does not read its answer is cut off")
  func slowReader() throws {
    let page = Response.text(String(repeating: "x", count: 40_000_000)).prepared()
    let clock = ManualClock()
    let answers = Atomic(0)
    let scene = try Scene(configure: { clock.configure(&$0) }) { _, reply in
      reply.send(page)
      answers.add(1, ordering: .relaxed)
    }
    let client = scene.connect()
    client.write("GET", "/")
    #expect(eventually { answers.load(ordering: .relaxed) == 1 })
    #expect(
      eventually {
        clock.advance(milliseconds: 50)
        return scene.server.counters.closedAtDeadline == 1
      })
    #expect(eventually { scene.server.counters.connections == 0 })
  }

  @Test("a request without an answer from the program gets 503, and the late answer is discarded")
  func unanswered() throws {
    let kept = Kept()
    let clock = ManualClock()
    let scene = try Scene(configure: { clock.configure(&$0) }) { request, reply in
      if request.head.path == "/kept" { kept.add(reply) } else { reply.send(.text("quick")) }
    }
    let client = scene.connect()
    client.write("GET", "/kept")
    #expect(kept.wait(for: 1))
    clock.advance(milliseconds: 50)
    #expect(client.answer()?.status == 503)
    kept.take().forEach { $0.send(.text("late")) }
    client.write("GET", "/")
    #expect(client.answer()?.text == "quick")
    #expect(scene.server.counters.closedAtDeadline == 0)
  }

  @Test("fast requests outlive the deadline on one connection")
  func busy() throws {
    let clock = ManualClock()
    let scene = try Scene(configure: { clock.configure(&$0) }, echo)
    let client = scene.connect()
    for _ in 0..<12 {
      client.write("POST", "/", body: [65])
      #expect(client.answer()?.text == "A")
      clock.advance(milliseconds: 30)
      usleep(15_000)
    }
  }

  @Test("a silent connection is closed after the idle timeout")
  func idle() throws {
    let scene = try Scene(configure: { $0.idleTimeout = .seconds(1) }, echo)
    let client = scene.connect()
    client.write("GET", "/")
    #expect(client.answer()?.status == 200)
    #expect(client.isClosed())
    #expect(scene.server.counters.closedAtDeadline == 0)
  }
}
