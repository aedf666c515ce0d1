import Foundation
import Testing

@testable import Analysis
@testable import App
@testable import Core
@testable import Ingest
@testable import Outbound
@testable import SQLiteStore
@testable import Storage
@testable import Web

/// Frames that an ingest node cannot have made, sent with its token over HTTP to a real server.
@Suite("A stolen node token")
struct StolenNodeTests {
  private static let node = NodeID("00112233445566aa")

  private final class Scene {
    let scene: AppScene
    let server: PlumbServer
    let client: PrimaryClient
    let fingerprint: UInt64
    private(set) var position: Int64 = 0

    init() throws {
      scene = try AppScene()
      let text = KeyGenerator.readToken()
      let token = AccessToken(
        id: 0, name: "node", hash: try #require(TokenHash.of(text)), rights: .relay, created: AppScene.now)
      _ = try scene.installation.control.addToken(token)
      server = try PlumbServer(
        scene.path, try scene.settings("{}"), PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0")),
        logger: scene.logger)
      try server.start()
      client = PrimaryClient(.init(address: server.url, token: Secret(text)), name: "stolen")
      fingerprint = NodeConfiguration.fingerprint(KeyedIDHash(secret: try scene.installation.secret()))
    }

    deinit { server.stop() }

    /// Sends a frame and gives the records that were left out.
    func send(_ parts: [RelayPart]) throws -> [String: Int] {
      let answer = try client.relay(
        RelayFrame(fingerprint: fingerprint, parts: parts), of: StolenNodeTests.node, after: position)
      guard case .taken(let position, let refused) = answer else { throw UserFacingError("\(answer)") }
      self.position = position
      return refused
    }

    /// A record with one session of a user.
    func records(
      _ name: String, at received: Timestamp = AppScene.now, batch: Timestamp? = nil,
      _ change: (inout Report) -> Void = { _ in }
    ) -> RelayPart {
      var report = Report(
        source: .native, release: Release(version: "4.2.0", build: "1234"),
        device: Device(model: "iPhone15,2", system: OperatingSystem(name: "iOS", version: "17.4.1", build: "21E236")),
        sessions: [SessionUpdate(id: name, outcome: .healthy, started: received, user: name)])
      change(&report)
      var records = LengthDelimitedRecords()
      records.append(
        report, RecordHeader(app: scene.app.id, received: received),
        seal: Pseudonymizer(hash: { text, _ in UInt64(bitPattern: Int64(text.hashValue)) }))
      return .records(
        PendingRecords(app: 0, bytes: records.bytes(), count: 1, receipt: nil, received: batch ?? received))
    }

    func sessions(_ count: Int) async throws -> Bool {
      for _ in 0..<200 {
        if try scene.report().sessions.total == count { return true }
        try await Task.sleep(for: .milliseconds(50))
      }
      return false
    }
  }

  @Test("frames of a node that has the secret of another folder are refused")
  func foreign() throws {
    let scene = try Scene()
    let frame = RelayFrame(fingerprint: scene.fingerprint ^ 1, parts: [scene.records("a")])
    #expect(throws: PrimaryClient.Failure.self) { try scene.client.relay(frame, of: Self.node, after: 0) }
    #expect(try scene.send([scene.records("b")]).isEmpty && scene.position == 1)
  }

  @Test("a stolen node token cannot crash a server or move a window with a time of receipt, and honest records count")
  func times() async throws {
    let scene = try Scene()
    func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
    let far = time(221_845_392_000_000)
    let refused = try scene.send([
      scene.records("a"), scene.records("b", batch: time(.min)), scene.records("c", batch: time(.max)),
      scene.records("d", at: far), scene.records("e") { $0.sessions[0].started = far },
      scene.records("f", at: time(-1)), scene.records("g", at: AppScene.ago(days: 40)),
    ])
    #expect(refused == [RelayedRecordValidator.Refusal.time.rawValue: 3])
    #expect(scene.position == 7)
    // Counted before and after the records that were left out; the one that was away for weeks, too.
    #expect(try await scene.sessions(3))
    let report = try scene.scene.report()
    #expect(report.window.to <= AppScene.now.day() + 1)
    #expect(scene.scene.log.lines.contains { $0.contains("3 records of the node stolen have times") })
    // What `plumb check` reads of the journal's ages.
    #expect(try scene.send([scene.records("h", batch: time(.min))]).isEmpty)
    #expect(try await scene.sessions(4))
  }

  @Test("a stolen node token cannot make the server examine millions of records or unreadable ones")
  func empties() async throws {
    let scene = try Scene()
    let empties = PendingRecords(
      app: 0, bytes: [UInt8](repeating: 0, count: 30_000_000), count: 30_000_000, receipt: nil, received: AppScene.now)
    let took = ContinuousClock().measure {
      #expect(throws: PrimaryClient.Failure.self) { try scene.send([.records(empties)]) }
    }
    #expect(took < .seconds(5), "\(took)")
    let some = PendingRecords(app: 0, bytes: [0, 1, 3, 0], count: 3, receipt: nil, received: AppScene.now)
    #expect(
      try scene.send([.records(some), scene.records("a")]) == [RelayedRecordValidator.Refusal.unreadable.rawValue: 3])
    #expect(try await scene.sessions(1))
  }
}
