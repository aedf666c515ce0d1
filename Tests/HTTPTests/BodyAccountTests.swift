import Glibc
import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("Body memory per account")
struct BodyAccountTests {
  /// Requests are charged to the account that their path names, bodies in one pool.
  private func scene(
    pool limit: Int, configure change: (inout HTTPServer.Configuration) -> Void = { _ in },
    _ respond: @escaping @Sendable (borrowing Request, PendingReply) -> Void
  ) throws -> (Scene, BodyMemoryPool) {
    let pool = BodyMemoryPool(limit: limit)
    let accounts = Mutex<[String: BodyAccount]>([:])
    let scene = try Scene(
      limit: 8 << 20, configure: change,
      admit: { head in
        let path = head.path
        let account = accounts.withLock { accounts in
          let account = accounts[path] ?? BodyAccount(in: pool)
          accounts[path] = account
          return account
        }
        return .accept(bodyLimit: 8 << 20, account: account)
      }, respond)
    return (scene, pool)
  }

  private func slow(_ scene: Scene, _ path: String, announced: Int, sent: Int) -> HTTPClient {
    let client = scene.connect()
    client.write("POST \(path) HTTP/1.1\r\nHost: t\r\nContent-Length: \(announced)\r\n\r\n")
    client.write([UInt8](repeating: 120, count: sent))
    return client
  }

  @Test("other apps' bodies find memory, whatever slow bodies one to three apps hold")
  func others() throws {
    let (scene, pool) = try scene(pool: 16 << 20, configure: { $0.idleTimeout = .seconds(5) }) { request, reply in
      reply.send(.text("\(request.body.count)"))
    }
    var slow: [HTTPClient] = []
    for app in ["/1", "/2", "/3"] {
      for _ in 0..<8 { slow.append(self.slow(scene, app, announced: 4 << 20, sent: (2 << 20) + 1)) }
      #expect(eventually { scene.server.counters.refused > 0 })
      for size in [9_000, 512 << 10] {
        let honest = scene.connect()
        honest.write("POST", "/honest", body: [UInt8](repeating: 65, count: size))
        #expect(honest.answer()?.text == "\(size)")
      }
    }
    #expect(pool.used <= pool.limit)
    slow = []
    // libmicrohttpd may overlook an end that comes together with data, and sees it after the idle timeout.
    #expect(eventually { pool.used == 0 })
    #expect(scene.server.counters.bodiesInFlight == 0)
  }

  @Test("a body is charged until its request is answered, and then releases all memory")
  func untilAnswered() throws {
    let kept = Kept()
    let (scene, pool) = try scene(pool: 1 << 20) { _, reply in kept.add(reply) }
    let client = scene.connect()
    client.write("POST", "/1", body: [UInt8](repeating: 65, count: 100_000))
    #expect(kept.wait(for: 1))
    #expect(pool.used >= 100_000)
    kept.take().forEach { $0.send(.text("stored")) }
    #expect(client.answer()?.text == "stored")
    #expect(pool.used == 0)
  }

  @Test(
    "a body that the handler keeps stays unchanged and charged until it is released", arguments: [0, 1, 9_000, 300_000])
  func taken(size: Int) throws {
    let bodies = Mutex<[ReceivedBody]>([])
    let (scene, pool) = try scene(pool: 4 << 20) { request, reply in
      let body = request.takeBody()
      bodies.withLock { $0.append(body) }
      reply.send(.text("taken"))
    }
    let client = scene.connect()
    for byte: UInt8 in [65, 66] {
      client.write("POST", "/1", body: [UInt8](repeating: byte, count: size))
      #expect(client.answer()?.text == "taken")
    }
    for (body, byte) in zip(bodies.withLock { $0 }, [65, 66] as [UInt8]) {
      #expect(body.count == size)
      #expect(body.bytes.allSatisfy { $0 == byte })
      let zeros = UnsafeRawBufferPointer(start: body.bytes.baseAddress! + size, count: 64)
      #expect(zeros.allSatisfy { $0 == 0 })
    }
    #expect(pool.used == (size == 0 ? 0 : pool.used))
    #expect(pool.used >= 2 * size)
    bodies.withLock { $0 = [] }
    #expect(eventually { pool.used == 0 })
  }

  @Test("a body that trickles is cut off, but not one that is fast enough")
  func trickle() throws {
    let clock = ManualClock()
    let scene = try Scene(
      configure: {
        clock.configure(&$0, deadline: .seconds(60))
        $0.bodyGrace = .milliseconds(40)
        $0.slowestBody = 2000
        $0.threads = 1
      }, echo)
    let slow = self.slow(scene, "/", announced: 100_000, sent: 100)
    let quick = self.slow(scene, "/", announced: 20_000, sent: 19_000)
    // The one thread of the server reads what has arrived before it answers a later request, some of it at a time.
    let other = scene.connect()
    for _ in 0..<20 {
      other.write("POST", "/", body: [65])
      #expect(other.answer()?.status == 200)
    }
    clock.advance(milliseconds: 5_000)
    #expect(slow.isClosed())
    #expect(eventually { scene.server.counters.closedAtDeadline == 1 })
    quick.write([UInt8](repeating: 65, count: 1000))
    #expect(quick.answer()?.status == 200)
  }

  @Test("a refused body that trickles is also cut off")
  func refusedTrickle() throws {
    let clock = ManualClock()
    let scene = try Scene(
      configure: {
        clock.configure(&$0, deadline: .seconds(60))
        $0.bodyGrace = .milliseconds(40)
        $0.slowestBody = 2000
      }, admit: { _ in .refuse(.problem(401, "No key")) }, echo)
    let slow = slow(scene, "/", announced: 100_000, sent: 1)
    // The body begins when its first byte is read, which may be after the clock was moved.
    #expect(
      eventually {
        clock.advance(milliseconds: 500)
        return scene.server.counters.closedAtDeadline == 1
      })
    #expect(slow.isClosed())
  }
}
