import Dispatch
import Glibc
import Synchronization
import Testing
import TestSupport

@testable import Web

@Suite("Delayed decisions and promised answers")
struct DecisionTests {
  /// Wake-ups kept for later.
  private final class Sleepers: Sendable {
    private let kept = Mutex<[@Sendable () -> Void]>([])
    var count: Int { kept.withLock { $0.count } }
    func add(_ wake: @escaping @Sendable () -> Void) { kept.withLock { $0.append(wake) } }
    func wakeAll() {
      let all = kept.withLock { kept in
        defer { kept = [] }
        return kept
      }
      for wake in all { wake() }
    }
  }

  /// Asked a second time, a request to `/yes` is admitted.
  private func scene(
    _ sleepers: Sleepers, configure change: (inout HTTPServer.Configuration) -> Void = { _ in }
  ) throws -> Scene {
    let isKnown = Atomic(false)
    let known = Shared(isKnown)
    return try Scene(
      configure: change,
      admit: { head in
        if head.path == "/now" { return .accept(bodyLimit: 1 << 20) }
        if head.path == "/never" { return .askAgain { $0() } }
        guard known.value.load(ordering: .relaxed) else {
          return .askAgain { wake in
            sleepers.add {
              known.value.store(true, ordering: .relaxed)
              wake()
            }
          }
        }
        return head.path == "/yes" ? .accept(bodyLimit: 1 << 20) : .refuse(.problem(401, "No key"))
      }, echo)
  }

  private final class Shared: Sendable {
    let value: Atomic<Bool>
    init(_ value: consuming Atomic<Bool>) { self.value = value }
  }

  @Test("a request waits with its body until the program decides, while others are served")
  func later() throws {
    let sleepers = Sleepers()
    let scene = try scene(sleepers)
    let clients = (0..<20).map { _ in scene.connect() }
    for (index, client) in clients.enumerated() {
      client.write("POST", index % 2 == 0 ? "/yes" : "/no", body: [UInt8](repeating: 65, count: 5000))
    }
    #expect(eventually { sleepers.count == 20 })
    let other = scene.connect()
    other.write("POST", "/now", body: [66])
    #expect(other.answer()?.text == "B")
    sleepers.wakeAll()
    for (index, client) in clients.enumerated() {
      let answer = client.answer()
      #expect(answer?.status == (index % 2 == 0 ? 200 : 401))
      if index % 2 == 0 { #expect(answer?.text.utf8.count == 5000) }
    }
    // The same connections go on.
    for client in clients {
      client.write("POST", "/now", body: [67])
      #expect(client.answer()?.text == "C")
    }
  }

  @Test("a client that waits for 100 Continue is asked for its body after the decision")
  func expectContinue() throws {
    let sleepers = Sleepers()
    let scene = try scene(sleepers)
    let client = scene.connect()
    client.write("POST /yes HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(eventually { sleepers.count == 1 })
    #expect(client.isSilent(milliseconds: 100))
    sleepers.wakeAll()
    #expect(client.answer()?.status == 100)
    client.write("abc")
    #expect(client.answer()?.text == "abc")
  }

  @Test("a program that never decides is asked twice, and the request gets 503")
  func never() throws {
    let scene = try scene(Sleepers())
    let client = scene.connect()
    client.write("GET", "/never")
    #expect(client.answer()?.status == 503)
  }

  @Test("a missing decision gets 503 at the deadline, and a late one is harmless")
  func deadline() throws {
    let sleepers = Sleepers()
    let clock = ManualClock()
    let scene = try scene(sleepers) { clock.configure(&$0) }
    let client = scene.connect()
    client.write("GET", "/yes")
    #expect(eventually { sleepers.count == 1 })
    clock.advance(milliseconds: 50)
    #expect(client.answer()?.status == 503)
    sleepers.wakeAll()
    let second = scene.connect()
    second.write("GET", "/now")
    #expect(second.answer()?.status == 200)
  }

  @Test("stopping answers the requests that wait for a decision")
  func stop() throws {
    let sleepers = Sleepers()
    let scene = try scene(sleepers)
    let client = scene.connect()
    client.write("GET", "/yes")
    #expect(eventually { sleepers.count == 1 })
    scene.server.stop {}
    #expect(client.answer()?.status == 503)
    sleepers.wakeAll()
  }

  @Test("a promised answer may come after the deadline, and nothing is sent before it")
  func promised() throws {
    let kept = Kept()
    let clock = ManualClock()
    let scene = try Scene(configure: { clock.configure(&$0) }) { request, reply in
      if request.head.path == "/held" { reply.hold() }
      kept.add(reply)
    }
    let held = scene.connect()
    let other = scene.connect()
    held.write("POST", "/held", body: [65])
    #expect(kept.wait(for: 1))
    // The second 503 comes after all connections were looked at for the first.
    for asked in 2...3 {
      other.write("POST", "/other", body: [65])
      #expect(kept.wait(for: asked))
      clock.advance(milliseconds: 50)
      #expect(other.answer()?.status == 503)
    }
    #expect(held.isSilent(milliseconds: 0))
    for reply in kept.take() { reply.send(.text("stored", status: 202)) }
    #expect(held.answer()?.status == 202)
    // The promise was for that request only.
    held.write("POST", "/other", body: [65])
    #expect(kept.wait(for: 1))
    clock.advance(milliseconds: 50)
    #expect(held.answer()?.status == 503)
  }
}
