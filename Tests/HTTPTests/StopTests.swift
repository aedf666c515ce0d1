import Glibc
import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("Starting and stopping")
struct StopTests {
  @Test("50 waiting requests are all answered when the server stops")
  func suspended() throws {
    let kept = Kept()
    let scene = try Scene { _, reply in kept.add(reply) }
    let clients = (0..<50).map { _ in scene.connect() }
    for client in clients { client.write("POST", "/", body: [65]) }
    #expect(kept.wait(for: 50))
    scene.server.stop {
      // The writer finishes what it has: thirty of them. The rest is the server's to answer.
      for reply in kept.take().prefix(30) { reply.send(.text("stored", status: 202)) }
    }
    let statuses = clients.map { $0.answer()?.status }
    #expect(statuses.count { $0 == 202 } == 30)
    #expect(statuses.count { $0 == 503 || $0 == 500 } == 20)
    #expect(scene.port == 0)
  }

  @Test("replies that are neither sent nor dropped get 503 at the stop, and are harmless afterwards")
  func heldOn() throws {
    let kept = Kept()
    let scene = try Scene { _, reply in kept.add(reply) }
    let clients = (0..<50).map { _ in scene.connect() }
    for client in clients { client.write("GET", "/") }
    #expect(kept.wait(for: 50))
    scene.server.stop {}
    #expect(clients.allSatisfy { $0.answer()?.status == 503 })
    kept.take().forEach { $0.send(.text("late")) }
    #expect(clients.allSatisfy { $0.isClosed() })
  }

  @Test("while the server stops, new connections are refused and new requests on old ones get 503")
  func refusing() throws {
    let scene = try Scene(echo)
    let old = scene.connect()
    old.write("GET", "/")
    #expect(old.answer()?.status == 200)
    let port = scene.port
    scene.server.stop {
      #expect(!HTTPClient(port: port).isConnected)
      old.write("POST", "/", body: [65])
      #expect(old.answer()?.status == 503)
    }
    #expect(!HTTPClient(port: port).isConnected)
  }

  @Test("stopping under load never aborts, and every accepted request is answered")
  func underLoad() throws {
    for _ in 0..<10 {
      let queue = Answering()
      let scene = try Scene { request, reply in queue.add(request.body.count, reply) }
      let answered = Atomic<Int>(0)
      let port = scene.port
      Crew(10) { index in
        if index == 0 {
          while answered.load(ordering: .relaxed) < 200 { usleep(500) }
          scene.server.stop {}
          return queue.end()
        }
        if index == 1 { return queue.run(until: .max) }
        while true {
          let client = HTTPClient(port: port)
          for _ in 0..<20 {
            client.write("POST", "/", body: [65])
            guard let answer = client.answer(), answer.status == 200 else { break }
            answered.add(1, ordering: .relaxed)
          }
          if !HTTPClient(port: port).isConnected { return }
        }
      }.wait()
      #expect(answered.load(ordering: .relaxed) >= 200)
    }
  }

  @Test("a server can be started again after it stopped")
  func restart() throws {
    let scene = try Scene(echo)
    scene.server.stop {}
    try scene.server.start()
    let client = scene.connect()
    client.write("POST", "/", body: [65])
    #expect(client.answer()?.text == "A")
  }

  @Test("an address in use is named when the server starts")
  func inUse() throws {
    let scene = try Scene(echo)
    let second = HTTPServer(configuration: .init(port: scene.port), handler: Nothing())
    let error = #expect(throws: HTTPServerError.self) { try second.start() }
    #expect(error?.code == .addressInUse)
    #expect(error?.description.contains("127.0.0.1:\(scene.port) is already in use") == true)
  }

  @Test("an invalid or foreign host and a port out of range are reported")
  func wrongAddress() {
    func code(_ host: String, _ port: Int = 0) -> HTTPServerError.Code? {
      let server = HTTPServer(configuration: .init(host: host, port: port), handler: Nothing())
      return #expect(throws: HTTPServerError.self) { try server.start() }?.code
    }
    #expect(code("example.com") == .invalidHost)
    #expect(code("[") == .invalidHost)
    #expect(code("192.0.2.1") == .addressNotAvailable)
    #expect(code("127.0.0.1", 65_536) == .invalidPort)
    #expect(code("127.0.0.1", -1) == .invalidPort)
  }

  private struct Nothing: RequestHandler {
    func admit(_ head: borrowing RequestHead) -> Admission { .accept(bodyLimit: 0) }
    func respond(to request: borrowing Request, _ reply: PendingReply) {}
  }
}
