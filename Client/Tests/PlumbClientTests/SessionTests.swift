import Foundation
import Testing

@testable import PlumbClient

@Suite("Sessions")
struct SessionTests {
  private let place = TemporaryFolder()
  private let clock = TestClock()
  private let origin = Origin(
    bundleID: "com.example.shop", version: "4.2.0", build: "7", model: "iPhone15,2", system: "iOS 17.4.1 (21E236)",
    environment: "production")

  private func queue() throws -> PayloadQueue {
    try PayloadQueue(folder: place.url.appendingPathComponent("queue"), limits: QueueLimits(), clock: clock.clock)
  }

  private func recorder(_ queue: PayloadQueue, origin: Origin? = nil) -> SessionRecorder {
    let recorder = SessionRecorder(
      folder: place.url, payloads: queue, origin: origin ?? self.origin, installation: "i", clock: clock.clock)
    recorder.start(handlesSignals: false)
    return recorder
  }

  private func documents(_ queue: PayloadQueue) throws -> [NativeDocument] {
    try queue.files.map { try JSONDecoder().decode(NativeDocument.self, from: Data(contentsOf: queue.url(of: $0))) }
  }

  /// `status seq duration` of every update.
  private func updates(_ queue: PayloadQueue) throws -> [String] {
    try documents(queue).flatMap { $0.sessions ?? [] }.map { "\($0.status) \($0.seq) \($0.duration ?? -1)" }
  }

  @Test("a session begins in the foreground, continues within half a minute, and is a new one after that")
  func timeline() throws {
    let queue = try queue()
    let recorder = recorder(queue)
    recorder.enterForeground()
    let first = recorder.current.id
    clock.advance(60)
    recorder.enterBackground()
    clock.advance(30)
    recorder.enterForeground()
    #expect(recorder.current.id == first)
    clock.advance(10)
    recorder.recordError()
    recorder.enterBackground()
    clock.advance(31)
    recorder.enterForeground()
    #expect(recorder.current.id != first)
    recorder.endSession()
    #expect(try updates(queue) == ["ok 0 0.0", "exited 1 60.0", "errored 2 70.0", "ok 0 0.0", "exited 1 0.0"])
    #expect(try documents(queue)[0].sessions?[0].started == 1_795_000_000_000)
  }

  @Test("changing the wall clock changes no duration, and a clock that was never set is left out")
  func clockChanges() throws {
    let queue = try queue()
    clock.now = Date(timeIntervalSince1970: 0)
    let recorder = recorder(queue)
    recorder.enterForeground()
    clock.now = Date(timeIntervalSince1970: 1_795_000_000)
    clock.advance(12)
    recorder.enterBackground()
    #expect(try updates(queue) == ["ok 0 0.0", "exited 1 12.0"])
    let document = try documents(queue)[0]
    #expect(document.sessions?[0].started == nil)
    let text = String(decoding: try document.encoded(), as: UTF8.self)
    #expect(!text.contains("started"))
  }

  @Test("a launch in the background that no person sees is not a session")
  func backgroundLaunch() throws {
    let queue = try queue()
    let first = recorder(queue)
    first.enterBackground()
    let second = recorder(queue)
    #expect(try updates(queue).isEmpty)
    // Seen an hour later, it begins then.
    clock.advance(3600)
    second.enterForeground()
    #expect(try documents(queue).first?.sessions?.first?.started == 1_795_003_600_000)
  }

  @Test("the next launch reports how a session ended")
  func previous() throws {
    typealias Status = SessionMarker.Status
    var marker = SessionRecorder(
      folder: place.url, payloads: try queue(), origin: origin, installation: nil, clock: clock.clock
    ).current
    marker.bootID = "boot"
    func status(
      _ state: SessionMarker.State, signalled: Bool = false, _ change: (inout SessionMarker) -> Void = { _ in },
      origin: Origin? = nil, boot: String? = "boot"
    ) -> Status? {
      var marker = marker
      marker.state = state
      change(&marker)
      return PreviousSession.status(of: marker, signalled: signalled, origin: origin ?? self.origin, bootID: boot)
    }
    #expect(status(.foreground, signalled: true) == .crashed)
    #expect(status(.background, signalled: true) == .crashed)
    #expect(status(.launching, signalled: true) == .crashed)
    #expect(status(.foreground) == .abnormal)
    #expect(status(.foreground, boot: nil) == .abnormal)
    #expect(status(.background) == nil)
    #expect(status(.launching) == nil)
    #expect(status(.ended) == nil)
    #expect(status(.ended, signalled: true) == nil)
    #expect(status(.foreground, boot: "another") == .exited)
    #expect(status(.foreground, { $0.isDebugged = true }) == .exited)
    #expect(status(.foreground, { $0.origin.version = "4.1.0" }) == .exited)
    #expect(status(.foreground, { $0.origin.system = "iOS 17.4 (21E219)" }) == .exited)
    #expect(status(.foreground, { $0.errors = 1 }, boot: "another") == .errored)
  }

  @Test("a session that ended without notice is reported for its own release, and counts once")
  func killed() throws {
    let queue = try queue()
    let first = recorder(queue)
    first.enterForeground()
    let id = first.current.id
    first.note(hang: 7)
    let marker = try Data(contentsOf: place.url.appendingPathComponent("session.json"))
    var hang: Double?
    for _ in 0..<2 {
      // Killed again before the marker was written anew.
      try marker.write(to: place.url.appendingPathComponent("session.json"))
      let next = SessionRecorder(
        folder: place.url, payloads: queue, origin: origin, installation: "i", clock: clock.clock)
      next.onHangAtEnd = { hang = $0 }
      next.start(handlesSignals: false)
    }
    #expect(hang == 7)
    let ended = try documents(queue).dropFirst()
    #expect(ended.count == 2)
    #expect(
      ended.allSatisfy { $0.sessions?[0].id == id && $0.sessions?[0].seq == 1 && $0.sessions?[0].status == "abnormal" })
    #expect(ended.allSatisfy { $0.app.version == "4.2.0" && $0.installation == "i" })
  }

  @Test("a damaged marker reports nothing")
  func damaged() throws {
    for text in ["", "{}", "[]", String(repeating: "[", count: 100_000)] {
      try Data(text.utf8).write(to: place.url.appendingPathComponent("session.json"))
      let queue = try queue()
      _ = recorder(queue)
      #expect(queue.files.isEmpty)
    }
  }

  @Test("an installation keeps its random id, can have no id, and sends an app's own id unchanged")
  func installation() throws {
    let file = place.url.appendingPathComponent("installation")
    let id = InstallationID.random.id(file: file)
    #expect(UUID(uuidString: id ?? "") != nil)
    #expect(InstallationID.random.id(file: file) == id)
    #expect(InstallationID.none.id(file: file) == nil)
    #expect(InstallationID.custom("account").id(file: file) == "account")
    #expect(InstallationID.random.id(file: place.url.appendingPathComponent("no/folder")) == nil)
  }
}
