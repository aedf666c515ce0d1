import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Core
@testable import Ingest
@testable import Storage
@testable import Web

@Suite("A server of which everything is held up")
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

    func connect() -> Socket { Socket(port: server.port) }
  }

  private final class ManualClock: Sendable {
    let time = Atomic<Int64>(0)
  }

  /// A client that can send without waiting for the answer.
  private final class Socket {
    private let descriptor: Int32

    init(port: Int) {
      descriptor = socket(AF_INET, Int32(1), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
      var limit = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }

    deinit { close(descriptor) }

    @discardableResult
    func send(_ method: String, _ path: String, _ headers: String = "", body: [UInt8] = []) -> Socket {
      let head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)Content-Length: \(body.count)\r\n\r\n"
      var rest = [UInt8](head.utf8) + body
      while !rest.isEmpty {
        let sent = Foundation.send(descriptor, rest, rest.count, Int32(0x4000))
        if sent <= 0 { break }
        rest.removeFirst(sent)
      }
      return self
    }

    @discardableResult
    func post(_ key: String, _ body: String, client: String = "test") -> Socket {
      send("POST", "/v1/payloads", "X-Plumb-Key: \(key)\r\nUser-Agent: \(client)\r\n", body: [UInt8](body.utf8))
    }

    /// The status of the next answer; nil when none came.
    func status() -> Int? {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 12 else { return nil }
      return Int(String(decoding: bytes[9..<12], as: UTF8.self))
    }

    /// Nothing has come yet.
    var isQuiet: Bool {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&polled, 1, 0) == 0
    }
  }

  private func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<2000 {
      if condition() { return true }
      usleep(5000)
    }
    return false
  }

  private func large(_ size: Int) -> String { Self.document + String(repeating: " ", count: size) }

  @Test("tells that it lives while decoders, pages, logins, the journal and the control database are held")
  func health() throws {
    let scene = try Scene()
    for gate in [scene.journal.gate, scene.control.gate, scene.decoders, scene.pages] { gate.close() }
    var held: [Socket] = []
    for size in [100_000, 100_000, 100_000, 600_000, 600_000] {
      held.append(scene.connect().post(Self.key, large(size), client: "held"))
    }
    for index in 0..<10 {
      // Of one page only one would be made, and the others would wait for it.
      held.append(scene.connect().send("GET", "/api/v1/apps?held=\(index)"))
      held.append(scene.connect().post(Self.key, Self.document))
      held.append(scene.connect().post(String(repeating: "c", count: 32), Self.document))
      held.append(
        scene.connect().send(
          "POST", "/login", "Sec-Fetch-Site: same-origin\r\n", body: [UInt8]("user=ana&password=nonsense".utf8)))
    }
    #expect(eventually { scene.decoders.count == 2 && scene.pages.count == 2 && scene.journal.gate.count == 1 })
    #expect(eventually { scene.control.gate.count >= 1 })
    for _ in 0..<40 {
      #expect(scene.connect().send("GET", "/healthz").status() == 200)
      #expect([200, 503].contains(scene.connect().send("GET", "/readyz").status()))
    }
    withExtendedLifetime(held) {}
  }

  @Test("makes other pages while some take long, however many ask for those, and answers all in the end")
  func slowPages() throws {
    let scene = try Scene()
    scene.pages.close()
    let same = (0..<20).map { _ in scene.connect().send("GET", "/api/v1/apps?held=1") }
    #expect(eventually { scene.pages.count == 1 })
    // Two workers, and one of the two that help while pages take long; the last is for another address.
    let others = (2...6).map { scene.connect().send("GET", "/api/v1/apps?held=\($0)") }
    #expect(eventually { scene.pages.count == 3 })
    usleep(600_000)
    #expect(scene.pages.count == 3)
    scene.pages.open()
    for client in same + others { #expect(client.status() == 400) }
  }

  @Test("answers what it held once it is let go, the acknowledged is in the journal once")
  func released() throws {
    let scene = try Scene()
    for gate in [scene.journal.gate, scene.control.gate, scene.decoders] { gate.close() }
    scene.control.add(String(repeating: "c", count: 32))
    let small = scene.connect().post(Self.key, Self.document)
    let large = scene.connect().post(Self.other, large(700_000), client: "held")
    // For keys that nobody knows the store is asked twenty times a second, and was asked when the server started.
    Thread.sleep(forTimeInterval: 0.06)
    let new = scene.connect().post(String(repeating: "c", count: 32), Self.document)
    #expect(eventually { scene.decoders.count == 1 && scene.journal.gate.count == 1 && scene.control.gate.count == 1 })
    let unknown = scene.connect().post(String(repeating: "d", count: 32), Self.document)
    for gate in [scene.control.gate, scene.decoders, scene.journal.gate] { gate.open() }
    #expect(small.status() == 202)
    #expect(large.status() == 202)
    #expect(new.status() == 202)
    #expect(unknown.status() == 401)
    #expect(scene.journal.requests.filter { $0.app <= 3 && $0.count == 1 }.count >= 3)
  }

  @Test("never answers 503 to what is stored afterwards, however slow the disk is")
  func slowCommit() throws {
    let scene = try Scene()
    scene.journal.gate.close()
    let client = scene.connect().post(Self.key, Self.document)
    #expect(eventually { scene.journal.gate.count == 1 })
    // The second page is refused after all connections were looked at for the first.
    scene.pages.close()
    for asked in 1...2 {
      let page = scene.connect().send("GET", "/api/v1/apps?held=\(asked)")
      #expect(eventually { scene.pages.count == asked })
      scene.clock.time.add(61_000, ordering: .relaxed)
      #expect(page.status() == 503)
    }
    #expect(client.isQuiet)
    scene.journal.gate.open()
    #expect(client.status() == 202)
    #expect(scene.journal.requests.count == 1)
  }

  @Test("takes no more than it can hold while the journal is held, turns the rest away at the door, and loses nothing")
  func heldJournal() throws {
    let scene = try Scene(pendingLimit: 20_000)
    scene.journal.gate.close()
    var clients: [Socket] = []
    // Few enough for a limit of 1,024 open files, which this process shares between both sides and other tests.
    for _ in 0..<150 { clients.append(scene.connect().post(Self.key, Self.document)) }
    let other = scene.connect().post(Self.other, Self.document)
    // All that is refused is answered at once: until no answer comes any more.
    var answered = -1
    #expect(
      eventually {
        usleep(200_000)
        let before = answered
        answered = clients.count { !$0.isQuiet }
        return answered > 50 && answered == before
      })
    var held: [Socket] = []
    for client in clients {
      if client.isQuiet { held.append(client) } else { #expect([429, 503].contains(client.status())) }
    }
    #expect(held.count > 5)
    #expect(other.isQuiet)
    scene.journal.gate.open()
    #expect(other.status() == 202)
    for client in held { #expect(client.status() == 202) }
    #expect(scene.journal.requests.filter { $0.app == 1 }.count >= held.count)
    // And it goes on.
    #expect(scene.connect().post(Self.key, Self.document).status() == 202)
  }

  @Test(
    "while the control database cannot be read, known keys are taken, unknown ones are no 401, and nobody is logged out"
  )
  func failingControl() throws {
    let scene = try Scene()
    scene.control.fails.store(true, ordering: .relaxed)
    usleep(100_000)
    #expect(scene.connect().post(String(repeating: "c", count: 32), Self.document).status() == 503)
    #expect(scene.connect().post(Self.key, Self.document).status() == 202)
    #expect(scene.connect().send("GET", "/readyz").status() == 503)
    let session = "Cookie: plumb=\(String(repeating: "0", count: 64))\r\nAccept: text/html\r\n"
    #expect(scene.connect().send("GET", "/", session).status() == 503)
    #expect(scene.connect().send("POST", "/logout", session + "Sec-Fetch-Site: same-origin\r\n").status() == 503)
  }
}
