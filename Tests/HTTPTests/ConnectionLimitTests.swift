import Glibc
import Testing
import TestSupport

@testable import Web

@Suite("Limits on connections")
struct ConnectionLimitTests {
  @Test("while all requests wait for answers, connections beyond the limit wait their turn")
  func everybodyIsOwed() throws {
    let kept = Kept()
    let scene = try Scene(configure: { $0.connections = 4 }) { _, reply in kept.add(reply) }
    let clients = (0..<4).map { _ in scene.connect() }
    for client in clients { client.write("GET", "/") }
    #expect(kept.wait(for: 4))
    let fifth = scene.connect()
    fifth.write("GET", "/")
    #expect(fifth.isSilent(milliseconds: 300))
    kept.take().forEach { $0.send(.text("first")) }
    for client in clients { #expect(client.answer()?.text == "first") }
    #expect(kept.wait(for: 1))
    kept.take().forEach { $0.send(.text("fifth")) }
    #expect(fifth.answer()?.text == "fifth")
  }

  @Test("a new client is accepted, however many silent connections its own address has")
  func silent() throws {
    let scene = try Scene(configure: { $0.connections = 64 }, echo)
    let silent = (0..<200).map { _ in scene.connect() }
    for _ in 0..<20 {
      let honest = scene.connect()
      honest.write("POST", "/", body: [65])
      #expect(honest.answer()?.text == "A")
    }
    #expect(scene.server.counters.evicted >= 100)
    #expect(eventually { scene.server.counters.connections <= 64 })
    withExtendedLifetime(silent) {}
  }

  @Test("connections that send their body slowly make room too, after those that were answered")
  func order() throws {
    let scene = try Scene(configure: { $0.connections = 8 }, echo)
    let slow = scene.connect()
    slow.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nx")
    #expect(eventually { scene.server.counters.requestsInFlight == 1 })
    let idle = (0..<7).map { _ in scene.connect() }
    for client in idle {
      client.write("GET", "/")
      #expect(client.answer()?.status == 200)
    }
    let new = scene.connect()
    new.write("GET", "/")
    #expect(new.answer()?.status == 200)
    #expect(scene.server.counters.evicted == 1)
    slow.write([UInt8](repeating: 120, count: 99))
    #expect(slow.answer()?.status == 200)
    let slowOnes = (0..<40).map { _ in scene.connect() }
    for client in slowOnes {
      client.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nx")
    }
    let last = scene.connect()
    last.write("GET", "/")
    #expect(last.answer()?.status == 200)
  }

  @Test("an address at its limit closes its own connections and not those of others")
  func perAddress() throws {
    let scene = try Scene(configure: { $0.connectionsPerAddress = 16 }, echo)
    let honest = HTTPClient(port: scene.port, from: "127.0.0.2")
    honest.write("POST", "/", body: [65])
    #expect(honest.answer()?.text == "A")
    let many = (0..<100).map { _ in scene.connect() }
    #expect(eventually { scene.server.counters.evicted + scene.server.counters.refusedConnections >= 60 })
    // Twice the limit while many open at once.
    #expect(eventually { scene.server.counters.connections <= 36 })
    honest.write("POST", "/", body: [66])
    #expect(honest.answer()?.text == "B")
    let another = HTTPClient(port: scene.port, from: "127.0.0.1")
    another.write("POST", "/", body: [67])
    #expect(another.answer()?.text == "C")
    withExtendedLifetime(many) {}
  }

  @Test("a trusted proxy may have more connections than one address")
  func proxy() throws {
    let scene = try Scene(
      configure: {
        $0.connectionsPerAddress = 4
        $0.trustedProxies = TrustedProxies([ClientAddress.Range("127.0.0.0/30")!])
      }, echo)
    let clients = (0..<40).map { _ in scene.connect() }
    for client in clients {
      client.write("POST", "/", body: [65])
      #expect(client.answer()?.text == "A")
    }
    #expect(scene.server.counters.connections == 40)
    #expect(scene.server.counters.evicted == 0)
  }

  @Test("a busy connection outlives 2,000 silent ones")
  func busy() throws {
    let scene = try Scene(configure: { $0.connections = 32 }, echo)
    let client = scene.connect()
    for _ in 0..<100 {
      let silent = (0..<20).map { _ in scene.connect() }
      client.write("POST", "/", body: [65])
      #expect(client.answer()?.text == "A")
      withExtendedLifetime(silent) {}
    }
  }
}
