import Dispatch
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import Ingest
@testable import Storage
@testable import Web

@Suite("A server in which everything is blocked")
struct HeldUpTests {
  private static let key = String(repeating: "a", count: 32)
  private static let other = String(repeating: "b", count: 32)
  private static let document =
    #"{"app":{"bundle_id":"com.example.shop","version":"4.2.0"},"device":{"model":"iPhone15,2","os":"iOS 17.4.1"},"#
    + #""measurements":[{"metric":"screen.load","value":420,"unit":"ms","at":"2026-11-20T09:59:00Z"}]}"#

  /// Plumb's routes on a socket, with gates before the journal, the control database, decoders of large bodies and pages.
  private final class Scene {
    let journal = HeldJournal()
    let control = HeldControl(keys: [HeldUpTests.key, HeldUpTests.other])
    let server: HTTPServer
    /// The clock of the server's deadlines, in milliseconds. Only the test moves it.
    let clock = ManualClock()
    private let backend: HeldBackend

    var decoders: Gate { backend.decoders }
    var pages: Gate { backend.pages }

    init(pendingLimit: Int = 24 << 20) throws {
      backend = try HeldBackend(control, journal, isOpen: true, pendingLimit: pendingLimit) {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
      }
      var configuration = HTTPServer.Configuration()
      configuration.clock = { [clock] in clock.time.load(ordering: .relaxed) }
      server = HTTPServer(configuration: configuration, handler: Router(backend))
      try server.start()
    }

    deinit {
      for gate in [journal.gate, control.gate, decoders, pages] { gate.open() }
      server.stop { backend.writer.stop() }
    }

    /// Sends a request without waiting for the answer.
    func ask(_ method: String, _ path: String, _ headers: String = "", body: [UInt8] = []) -> HTTPClient {
      let client = HTTPClient(port: server.port, timeout: 20)
      client.write(method, path, body: body, headers: headers)
      return client
    }

    func post(_ key: String, _ body: String, client: String = "test") -> HTTPClient {
      ask("POST", "/v1/payloads", "X-Plumb-Key: \(key)\r\nUser-Agent: \(client)\r\n", body: [UInt8](body.utf8))
    }
  }

  private final class ManualClock: Sendable {
    let time = Atomic<Int64>(0)
  }

  private func large(_ size: Int) -> String { Self.document + String(repeating: " ", count: size) }

  @Test(
    "a blocked server answers health checks while decoders, pages, logins, journal and control database are blocked")
  func health() throws {
    let scene = try Scene()
    for gate in [scene.journal.gate, scene.control.gate, scene.decoders, scene.pages] { gate.close() }
    var held: [HTTPClient] = []
    for size in [100_000, 100_000, 100_000, 600_000, 600_000] {
      held.append(scene.post(Self.key, large(size), client: "held"))
    }
    for index in 0..<10 {
      // Of one page only one would be made, and the others would wait for it.
      held.append(scene.ask("GET", "/api/v1/apps?held=\(index)"))
      held.append(scene.post(Self.key, Self.document))
      held.append(scene.post(String(repeating: "c", count: 32), Self.document))
      held.append(
        scene.ask(
          "POST", "/login", "Sec-Fetch-Site: same-origin\r\n", body: [UInt8]("user=ana&password=nonsense".utf8)))
    }
    #expect(eventually { scene.decoders.count == 2 && scene.pages.count == 2 && scene.journal.gate.count == 1 })
    #expect(eventually { scene.control.gate.count >= 1 })
    for _ in 0..<40 {
      #expect(scene.ask("GET", "/healthz").answer()?.status == 200)
      #expect([200, 503].contains(scene.ask("GET", "/readyz").answer()?.status))
    }
    withExtendedLifetime(held) {}
  }

  @Test("a blocked server renders other pages while slow ones take long, and answers all in the end")
  func slowPages() throws {
    let scene = try Scene()
    scene.pages.close()
    let same = (0..<20).map { _ in scene.ask("GET", "/api/v1/apps?held=1") }
    #expect(eventually { scene.pages.count == 1 })
    // Two workers, and one of the two that help while pages take long; the last is for another address.
    let others = (2...6).map { scene.ask("GET", "/api/v1/apps?held=\($0)") }
    #expect(eventually { scene.pages.count == 3 })
    usleep(600_000)
    #expect(scene.pages.count == 3)
    scene.pages.open()
    for client in same + others { #expect(client.answer()?.status == 400) }
  }

  @Test("a blocked server answers its waiting requests once it is released, and stores acknowledged ones once")
  func released() throws {
    let scene = try Scene()
    for gate in [scene.journal.gate, scene.control.gate, scene.decoders] { gate.close() }
    scene.control.add(String(repeating: "c", count: 32))
    let small = scene.post(Self.key, Self.document)
    let large = scene.post(Self.other, large(700_000), client: "held")
    // For keys that nobody knows the store is asked twenty times a second, and was asked when the server started.
    Thread.sleep(forTimeInterval: 0.06)
    let new = scene.post(String(repeating: "c", count: 32), Self.document)
    #expect(eventually { scene.decoders.count == 1 && scene.journal.gate.count == 1 && scene.control.gate.count == 1 })
    let unknown = scene.post(String(repeating: "d", count: 32), Self.document)
    for gate in [scene.control.gate, scene.decoders, scene.journal.gate] { gate.open() }
    #expect(small.answer()?.status == 202)
    #expect(large.answer()?.status == 202)
    #expect(new.answer()?.status == 202)
    #expect(unknown.answer()?.status == 401)
    #expect(scene.journal.requests.filter { $0.app <= 3 && $0.count == 1 }.count >= 3)
  }

  @Test("a blocked server never answers 503 to a payload that is stored later, however slow the disk is")
  func slowCommit() throws {
    let scene = try Scene()
    scene.journal.gate.close()
    let client = scene.post(Self.key, Self.document)
    #expect(eventually { scene.journal.gate.count == 1 })
    // The second page is refused after all connections were looked at for the first.
    scene.pages.close()
    for asked in 1...2 {
      let page = scene.ask("GET", "/api/v1/apps?held=\(asked)")
      #expect(eventually { scene.pages.count == asked })
      scene.clock.time.add(61_000, ordering: .relaxed)
      #expect(page.answer()?.status == 503)
    }
    #expect(client.isSilent(milliseconds: 0))
    scene.journal.gate.open()
    #expect(client.answer()?.status == 202)
    #expect(scene.journal.requests.count == 1)
  }

  @Test("a server with a blocked journal accepts only what fits, refuses the rest at admission, and loses nothing")
  func heldJournal() throws {
    let scene = try Scene(pendingLimit: 20_000)
    scene.journal.gate.close()
    var clients: [HTTPClient] = []
    // Few enough for a limit of 1,024 open files, which this process shares between both sides and other tests.
    for _ in 0..<150 { clients.append(scene.post(Self.key, Self.document)) }
    let other = scene.post(Self.other, Self.document)
    // All that is refused is answered at once: until no answer comes any more.
    var answered = -1
    #expect(
      eventually {
        usleep(200_000)
        let before = answered
        answered = clients.count { !$0.isSilent(milliseconds: 0) }
        return answered > 50 && answered == before
      })
    var held: [HTTPClient] = []
    for client in clients {
      if client.isSilent(milliseconds: 0) {
        held.append(client)
      } else {
        #expect([429, 503].contains(client.answer()?.status))
      }
    }
    #expect(held.count > 5)
    #expect(other.isSilent(milliseconds: 0))
    scene.journal.gate.open()
    #expect(other.answer()?.status == 202)
    for client in held { #expect(client.answer()?.status == 202) }
    #expect(scene.journal.requests.filter { $0.app == 1 }.count >= held.count)
    // And it goes on.
    #expect(scene.post(Self.key, Self.document).answer()?.status == 202)
  }

  @Test("while the control database cannot be read, known keys work, unknown ones get no 401, and logins stay")
  func failingControl() throws {
    let scene = try Scene()
    scene.control.fails.store(true, ordering: .relaxed)
    usleep(100_000)
    #expect(scene.post(String(repeating: "c", count: 32), Self.document).answer()?.status == 503)
    #expect(scene.post(Self.key, Self.document).answer()?.status == 202)
    #expect(scene.ask("GET", "/readyz").answer()?.status == 503)
    let session = "Cookie: plumb=\(String(repeating: "0", count: 64))\r\nAccept: text/html\r\n"
    #expect(scene.ask("GET", "/", session).answer()?.status == 503)
    #expect(scene.ask("POST", "/logout", session + "Sec-Fetch-Site: same-origin\r\n").answer()?.status == 503)
  }
}
