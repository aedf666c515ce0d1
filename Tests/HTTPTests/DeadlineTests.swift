import Glibc
import HTTP
import Testing

@Suite("The request deadline")
struct DeadlineTests {
  /// Sends a byte every 50 ms until the server closes; the seconds that took, nil after 1,200 bytes, which take at least a
  /// minute.
  private func dribble(_ client: RawClient, _ start: String) -> Double? {
    var begin = timespec()
    clock_gettime(CLOCK_MONOTONIC, &begin)
    client.send(start)
    for _ in 0..<1200 {
      usleep(50_000)
      if !client.send("x") || (!client.isSilent(milliseconds: 0) && client.isClosed()) {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        return Double(end.tv_sec - begin.tv_sec) + Double(end.tv_nsec - begin.tv_nsec) / 1e9
      }
    }
    return nil
  }

  @Test(
    "a client that sends a byte now and then is cut off",
    arguments: [
      "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n", "GET / HTTP/1.1\r\nX-Long: ", "GET /",
    ])
  func slow(start: String) throws {
    let scene = try Scene(configure: { $0.requestDeadline = .milliseconds(600) }, echo)
    // How late the server is depends on the machine; that it is not early, and that it was the deadline, does not.
    #expect(try #require(dribble(scene.connect(), start)) > 0.5)
    #expect(eventually { scene.server.counters.closedAtDeadline == 1 })
    #expect(eventually { scene.server.counters.connections == 0 })
  }

  @Test("a client that does not read its answer is cut off")
  func slowReader() throws {
    let page = Response.text(String(repeating: "x", count: 40_000_000)).prepared()
    let scene = try Scene(configure: { $0.requestDeadline = .milliseconds(600) }) { _, reply in reply.send(page) }
    let client = scene.connect()
    client.get("/")
    #expect(eventually { scene.server.counters.closedAtDeadline == 1 })
    #expect(eventually { scene.server.counters.connections == 0 })
  }

  @Test("a request that the program does not answer gets 503, and the late answer goes nowhere")
  func unanswered() throws {
    let kept = Kept()
    let scene = try Scene(configure: { $0.requestDeadline = .milliseconds(400) }) { request, reply in
      if request.head.path == "/kept" { kept.add(reply) } else { reply.send(.text("quick")) }
    }
    let client = scene.connect()
    client.get("/kept")
    #expect(client.answer()?.status == 503)
    kept.take().forEach { $0.send(.text("late")) }
    client.get("/")
    #expect(client.answer()?.body == "quick")
    #expect(scene.server.counters.closedAtDeadline == 0)
  }

  @Test("requests that are quick outlive the deadline on one connection")
  func busy() throws {
    let scene = try Scene(configure: { $0.requestDeadline = .milliseconds(500) }, echo)
    let client = scene.connect()
    for _ in 0..<12 {
      client.post("/", body: [65])
      #expect(client.answer()?.body == "A")
      usleep(100_000)
    }
  }

  @Test("a silent connection is closed after the idle timeout")
  func idle() throws {
    let scene = try Scene(configure: { $0.idleTimeout = .seconds(1) }, echo)
    let client = scene.connect()
    client.get("/")
    #expect(client.answer()?.status == 200)
    #expect(client.isClosed())
    #expect(scene.server.counters.closedAtDeadline == 0)
  }
}
