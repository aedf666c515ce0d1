#if os(Linux)
  import Foundation
  import Testing

  @testable import PlumbClient

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Real uploads to a server that is killed, full, and refuses.
  @Suite("The client with a real server", .enabled(if: PlumbServer.isThere), .serialized)
  struct ServerTests {
    private let place = TemporaryFolder()
    private let clock = TestClock()
    private let origin = Origin(
      bundleID: "com.example.client", version: "4.2.0", build: "7", model: "iPhone15,2", system: "iOS 17.4.1 (21E236)",
      environment: "production")

    private func queue(_ limits: QueueLimits = QueueLimits()) throws -> PayloadQueue {
      try PayloadQueue(folder: place.url.appendingPathComponent("queue"), limits: limits, clock: .system)
    }

    private func fill(_ queue: PayloadQueue, _ count: Int, padding: Int = 0) throws {
      for number in 0..<count {
        let buffer = MeasurementBuffer(clock: .system)
        buffer.add(Double(number + 1), .screenLoad, label: "Cart")
        var document = try #require(buffer.document(origin, installation: nil, clearing: true))
        if padding > 0 { document.installation = String(repeating: "x", count: padding) }
        queue.add(try document.encoded(), .measurements)
      }
    }

    private func uploader(
      _ queue: PayloadQueue, _ server: PlumbServer, key: String? = nil,
      at address: URL? = nil, transport: Transport = LossyTransport(), clock: ClientClock = .system
    ) throws -> Uploader {
      Uploader(
        payloads: queue, server: try address ?? server.address, key: key ?? server.key, transport: transport,
        folder: place.url, clock: clock, random: { 0 })
    }

    @Test("an app's measurements arrive, and a body that was sent twice counts once")
    func delivery() async throws {
      let server = try PlumbServer()
      try await server.start()
      let queue = try queue()
      try fill(queue, 20)
      // The answers are lost: every file is sent again with its key.
      let uploader = try uploader(queue, server, transport: LossyTransport(losing: 8), clock: clock.clock)
      uploader.start()
      #expect(
        await eventually {
          if uploader.waitRemaining > 0 {
            clock.advance(uploader.waitRemaining + 1)
            uploader.send()
          }
          return queue.files.isEmpty
        })
      #expect(try await server.settled(20, "data-quality", "accepted") == 20)
      #expect(try await server.settled(8, "data-quality", "duplicates") == 8)
      #expect(try await server.settled(20, "metrics/screen.load", "metric", "n") == 20)
    }

    @Test("nothing is lost while the server is down, and waiting files arrive when it is back")
    func offline() async throws {
      let server = try PlumbServer()
      let queue = try queue()
      try fill(queue, 10)
      let uploader = try uploader(queue, server, clock: clock.clock)
      uploader.start()
      #expect(await eventually { uploader.waitRemaining > 0 })
      #expect(queue.files.count == 10)
      try await server.start()
      clock.advance(10)
      uploader.send()
      #expect(await eventually { queue.files.isEmpty })
      // Killed in the middle of the next ones, and started again.
      try fill(queue, 60)
      uploader.send()
      #expect(await eventually { queue.files.count < 50 })
      server.kill()
      #expect(await eventually { uploader.waitRemaining > 0 && uploader.filesUnderway.isEmpty })
      try await server.start()
      clock.advance(4000)
      uploader.send()
      #expect(await eventually { queue.files.isEmpty })
      #expect(try await server.settled(70, "metrics/screen.load", "metric", "n") == 70)
      #expect(queue.takeLosses().isEmpty)
    }

    @Test("with a wrong key the files wait for the app's next version, which has the right one")
    func wrongKey() async throws {
      let server = try PlumbServer()
      try await server.start()
      let first = try queue()
      try fill(first, 6)
      let transport = LossyTransport()
      let wrong = try uploader(first, server, key: String(repeating: "0", count: 32), transport: transport)
      wrong.start()
      #expect(await eventually { wrong.waitRemaining > 1000 && wrong.filesUnderway.isEmpty })
      #expect(first.files.count == 6)
      let second = try queue()
      let right = try uploader(second, server)
      right.start()
      #expect(await eventually { second.files.isEmpty })
      #expect(try await server.settled(6, "data-quality", "accepted") == 6)
      #expect(transport.statuses == [401])
    }

    @Test("a file that is too large for the server is deleted, and the rest is sent")
    func tooLarge() async throws {
      let server = try PlumbServer(settings: ["body-limit: 2000"])
      try await server.start()
      let queue = try queue()
      try fill(queue, 3)
      try fill(queue, 2, padding: 5000)
      try fill(queue, 3)
      let transport = LossyTransport()
      let uploader = try uploader(queue, server, transport: transport)
      uploader.start()
      #expect(await eventually { queue.files.isEmpty })
      #expect(queue.takeLosses() == [.large: 2])
      #expect(try await server.settled(6, "data-quality", "accepted") == 6)
      #expect(transport.statuses == [202, 413])
    }

    @Test("a file that the server cannot read is deleted, and the rest is sent")
    func refused() async throws {
      let server = try PlumbServer()
      try await server.start()
      let queue = try queue()
      try fill(queue, 2)
      queue.add(Data(#"{"sessions":[{"status":"fine"}]}"#.utf8), .sessions)
      queue.add(Data("{".utf8), .metricKit)
      try fill(queue, 2)
      let transport = LossyTransport()
      let uploader = try uploader(queue, server, transport: transport)
      uploader.start()
      #expect(await eventually { queue.files.isEmpty })
      #expect(queue.takeLosses() == [.refused: 2])
      #expect(try await server.settled(4, "data-quality", "accepted") == 4)
      #expect(transport.statuses == [202, 400])
    }

    @Test("a server that answers 429 gets no request for as long as it requires")
    func tooMany() async throws {
      let server = try PlumbServer(settings: ["requests-per-second: 1"])
      try await server.start()
      let queue = try queue()
      try fill(queue, 8)
      let transport = LossyTransport()
      let uploader = try uploader(queue, server, transport: transport, clock: clock.clock)
      uploader.start()
      var waits = 0
      for _ in 0..<400 where !queue.files.isEmpty {
        try await Task.sleep(nanoseconds: 50_000_000)
        guard uploader.waitRemaining > 0 else { continue }
        waits += 1
        #expect(uploader.waitRemaining >= 1)
        clock.advance(uploader.waitRemaining + 1)
        uploader.send()
      }
      #expect(queue.files.isEmpty)
      #expect(waits > 0)
      #expect(queue.takeLosses().isEmpty)
      #expect(try await server.settled(8, "data-quality", "accepted") == 8)
      #expect(transport.statuses == [202, 429])
    }

    @Test(
      "a server with a full disk answers 503, and later gets everything", .enabled(if: SmallDisk.isPossible)
    )
    func fullServer() async throws {
      let disk = try SmallDisk(bytes: 64_000_000)
      defer { disk.remove() }
      let server = try PlumbServer(data: disk.url.appendingPathComponent("data"))
      try await server.start()
      while try disk.free() > 0 {
        let size = try disk.free()
        try Data(repeating: 0, count: size).write(to: disk.url.appendingPathComponent("others\(size)"))
      }
      let queue = try queue()
      try fill(queue, 5)
      let transport = LossyTransport()
      let uploader = try uploader(queue, server, transport: transport, clock: clock.clock)
      uploader.start()
      #expect(await eventually { uploader.waitRemaining > 0 && uploader.filesUnderway.isEmpty })
      #expect(queue.files.count == 5)
      for name in try FileManager.default.contentsOfDirectory(atPath: disk.url.path) where name.hasPrefix("others") {
        try FileManager.default.removeItem(at: disk.url.appendingPathComponent(name))
      }
      for _ in 0..<400 where !queue.files.isEmpty {
        clock.advance(4000)
        uploader.send()
        try await Task.sleep(nanoseconds: 50_000_000)
      }
      #expect(queue.files.isEmpty)
      #expect(queue.takeLosses().isEmpty)
      #expect(try await server.settled(5, "data-quality", "accepted") == 5)
      #expect(transport.statuses == [202, 503])
    }

    @Test("files follow a server that has moved to another port, also at the next launch, but not to another host")
    func moved() async throws {
      let server = try PlumbServer()
      try await server.start()
      let old = try Redirector(to: "\(try server.address)/v1/payloads")
      let queue = try queue()
      try fill(queue, 6)
      let first = try uploader(queue, server, at: old.address)
      first.start()
      #expect(await eventually { queue.files.isEmpty })
      let asked = old.requests
      #expect((1...6).contains(asked))
      try fill(queue, 3)
      let second = try uploader(queue, server, at: old.address)
      second.start()
      #expect(await eventually { queue.files.isEmpty })
      #expect(old.requests == asked)
      #expect(try await server.settled(9, "data-quality", "accepted") == 9)
      // The same server under another name, without TLS.
      let port = try #require(try server.address.port)
      let elsewhere = try Redirector(to: "http://localhost:\(port)/v1/payloads")
      try fill(queue, 1)
      let third = try uploader(queue, server, at: elsewhere.address)
      third.start()
      #expect(await eventually { third.waitRemaining > 1000 })
      #expect(queue.files.count == 1)
      #expect(try await server.number("data-quality", "accepted") == 9)
    }

    @Test("a refusal while files are sent stops the uploads, and the server gets none after it")
    func refusal() async throws {
      let server = try PlumbServer()
      try await server.start()
      var options = PlumbOptions()
      options.notesCrashSignals = false
      let client = try VitalsClient(
        server: try server.address, key: server.key, options: options, origin: origin, folder: place.url,
        transport: URLSessionTransport(identifier: nil))
      try fill(client.payloads, 400)
      client.start()
      #expect(await eventually { client.payloads.files.count < 390 })
      #expect(client.setConsent(.refused))
      #expect(client.payloads.files.isEmpty)
      #expect(await eventually { client.uploader.filesUnderway.isEmpty })
      // What was sent before the refusal is counted within two seconds.
      try await Task.sleep(nanoseconds: 3_000_000_000)
      let accepted = try await server.number("data-quality", "accepted")
      client.receive(metricKit: Data("{}".utf8))
      client.flush()
      try await Task.sleep(nanoseconds: 2_500_000_000)
      #expect(try await server.number("data-quality", "accepted") == accepted)
      #expect(client.setConsent(.granted))
      client.enterForeground()
      #expect(await eventually { client.payloads.files.isEmpty })
      #expect(try await server.settled(accepted + 1, "data-quality", "accepted") == accepted + 1)
    }

    @Test("a process that crashes is a crashed session at the next launch, and a killed one an abnormal session")
    func crashes() async throws {
      let server = try PlumbServer()
      try await server.start()
      let ways: [(String, Int32)] = [
        ("abort", SIGABRT), ("segfault", SIGSEGV), ("overflow", SIGSEGV), ("trap", SIGILL),
      ]
      for (way, signal) in ways {
        let folder = place.url.appendingPathComponent(way)
        let ended = try Probe(folder, try server.address, server.key, "foreground", way).wait()
        #expect(
          ended.bySignal && ended.code == signal, "the process ends by the signal itself, for the system's own report")
        try Probe(folder, try server.address, server.key, "drain").wait()
      }
      #expect(try await server.settled(4, "sessions", "sessions", "crashed") == 4)
      let killed = place.url.appendingPathComponent("killed")
      try Probe(killed, try server.address, server.key, "foreground", "flush", "hold").killWhenReady()
      try Probe(killed, try server.address, server.key, "drain").wait()
      let left = place.url.appendingPathComponent("left")
      try Probe(left, try server.address, server.key, "foreground", "background", "hold").killWhenReady()
      try Probe(left, try server.address, server.key, "drain").wait()
      let well = place.url.appendingPathComponent("well")
      try Probe(well, try server.address, server.key, "foreground", "error", "ends", "drain").wait()
      try Probe(well, try server.address, server.key, "drain").wait()
      #expect(try await server.settled(7, "sessions", "sessions", "total") == 7)
      #expect(try await server.settled(1, "sessions", "sessions", "abnormal") == 1)
      #expect(try await server.settled(1, "sessions", "sessions", "errored") == 1)
      #expect(try await server.number("sessions", "sessions", "healthy") == 1)
      #expect(try await server.number("sessions", "sessions", "crashed") == 4)
    }

    @Test("a crash after a refusal leaves no mark, and one after a new agreement is reported")
    func crashesAndConsent() async throws {
      let server = try PlumbServer()
      try await server.start()
      let folder = place.url.appendingPathComponent("probe")
      let ended = try Probe(folder, try server.address, server.key, "refuse", "foreground", "segfault").wait()
      #expect(ended.bySignal && ended.code == SIGSEGV)
      // A process that began refused crashes after the person agreed again.
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["consent", "queue"])
      try Probe(folder, try server.address, server.key, "foreground", "segfault").wait()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["consent", "queue"])
      try Probe(folder, try server.address, server.key, "foreground", "grant", "overflow").wait()
      try Probe(folder, try server.address, server.key, "drain").wait()
      #expect(try await server.settled(1, "sessions", "sessions", "crashed") == 1)
      #expect(try await server.number("sessions", "sessions", "total") == 1)
    }

    @Test("a refusal from before the start holds, also for later launches")
    func earlyRefusal() async throws {
      let server = try PlumbServer()
      try await server.start()
      let folder = place.url.appendingPathComponent("early")
      for first in ["refused before", "foreground"] {
        try Probe(folder, try server.address, server.key, first, "foreground", "measure", "flush", "ends").wait()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["consent", "queue"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/queue").isEmpty)
      }
    }

    @Test("a process that is killed at any time loses nothing that was in a file, and nothing counts twice")
    func kills() async throws {
      let server = try PlumbServer()
      let folder = place.url.appendingPathComponent("probe")
      // The server is away, and each process is killed while it measures, writes and tries to send.
      for delay: UInt32 in [20, 60, 110, 170, 240] {
        let probe = try Probe(folder, try server.address, server.key, "churn")
        try probe.killWhenReady(after: delay)
      }
      let kept = try Self.valuesKept(in: folder)
      #expect(kept > 0)
      try await server.start()
      // Without this the last process would wait for the end of the back-off.
      try? FileManager.default.removeItem(at: folder.appendingPathComponent("backoff.json"))
      try Probe(folder, try server.address, server.key, "drain").wait()
      #expect(try await server.settled(Double(kept), "metrics/probe.value", "metric", "n") == Double(kept))
    }

    /// How many values of `probe.value` stand in the files of a client.
    private static func valuesKept(in folder: URL) throws -> Int {
      let queue = folder.appendingPathComponent("queue")
      let files =
        try FileManager.default.contentsOfDirectory(at: queue, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "json" } + [folder.appendingPathComponent("open.json")]
      return try files.filter { FileManager.default.fileExists(atPath: $0.path) }.reduce(0) { sum, file in
        let document = try JSONDecoder().decode(NativeDocument.self, from: Data(contentsOf: file))
        let samples = (document.measurements ?? []).filter { $0.metric == "probe.value" }.count
        let counts = (document.histograms ?? []).filter { $0.metric == "probe.value" }.flatMap(\.counts)
        return sum + samples + counts.reduce(0, +)
      }
    }
  }

  /// Sends, loses the first answers on their way back, and keeps the statuses of all.
  final class LossyTransport: Transport, @unchecked Sendable {
    // Invariant: used with `lock` held.
    private let lock = NSLock()
    private var losses: Int
    private var answered: [Int] = []
    private let real = URLSessionTransport(identifier: nil)

    init(losing losses: Int = 0) { self.losses = losses }

    var statuses: Set<Int> { lock.withLock { Set(answered) } }

    func begin(
      ended: @escaping @Sendable (String, UploadResult) -> Void, underway: @escaping @Sendable (Set<String>) -> Void
    ) {
      real.begin(
        ended: { [self] name, result in
          let isLost = lock.withLock {
            if case .answered(let status, _, _) = result { answered.append(status) }
            losses -= 1
            return losses >= 0
          }
          ended(name, isLost ? .failed : result)
        }, underway: underway)
    }

    func send(_ request: URLRequest, file: URL, name: String) { real.send(request, file: file, name: name) }

    func cancelAll() { real.cancelAll() }
  }
#endif
