import Dispatch
import Foundation
import Testing

@testable import PlumbClient

@Suite("Consent, users and samples")
struct ConsentTests {
  private let place = TemporaryFolder()
  private let accepted = UploadResult.answered(status: 202, retryAfter: nil, isJSON: true)

  private func client(
    _ transport: ScriptedTransport, _ consent: ConsentRequirement = .notRequired, sampleRate: Double = 1,
    random: Double = 0
  ) throws -> VitalsClient {
    var options = PlumbOptions()
    options.notesCrashSignals = false
    options.consent = consent
    options.sampleRate = sampleRate
    let client = try VitalsClient(
      server: try #require(URL(string: "https://plumb.example")), key: "KEY", options: options,
      origin: .current(environment: "production"), folder: place.url, transport: transport, random: { random })
    client.start()
    return client
  }

  /// One file of each kind.
  private func use(_ client: VitalsClient) {
    client.enterForeground()
    client.receive(metricKit: Data("{}".utf8))
    client.buffer.add(1, .screenLoad, label: "Cart")
    client.flush()
  }

  /// The files that the client left, without those in which nothing about the person stands.
  private func traces() throws -> [String] {
    let names = try #require(FileManager.default.enumerator(atPath: place.url.path)?.allObjects as? [String])
    return names.filter { !["queue", "consent", "backoff.json", "sample"].contains($0) }.sorted()
  }

  private func documents(_ client: VitalsClient) throws -> [NativeDocument] {
    try client.payloads.files.map {
      try JSONDecoder().decode(NativeDocument.self, from: Data(contentsOf: client.payloads.url(of: $0)))
    }
  }

  @Test("data waits on the device until the person agrees, also after a restart, and is then sent")
  func required() async throws {
    let first = ScriptedTransport([accepted])
    use(try client(first, .required))
    let second = ScriptedTransport([accepted])
    let client = try client(second, .required)
    #expect(client.consent == .unknown)
    use(client)
    client.enterBackground()
    #expect(client.payloads.files.count >= 6)
    #expect(first.sent.isEmpty && second.sent.isEmpty)
    #expect(client.setConsent(.granted))
    #expect(await eventually { client.payloads.files.isEmpty })
    #expect(second.sent.count >= 6)
    let third = ScriptedTransport([accepted])
    let next = try self.client(third, .required)
    #expect(next.consent == .granted)
    use(next)
    #expect(await eventually { third.sent.count >= 3 })
    // A decision that is withdrawn stops sending, and deletes nothing.
    #expect(next.setConsent(.unknown))
    let count = third.sent.count
    next.receive(metricKit: Data("{}".utf8))
    next.flush()
    #expect(next.payloads.files.count == 1)
    #expect(third.sent.count == count)
  }

  @Test("a refusal deletes everything that waits and every trace, and holds at the next launches")
  func refused() throws {
    let transport = ScriptedTransport([])
    let first = try client(transport, .required)
    use(first)
    // The mark of a crash, and a document that is not complete.
    try Data("6 1795000000\n".utf8).write(to: place.url.appendingPathComponent("signal"))
    try Data("{}".utf8).write(to: place.url.appendingPathComponent("open.json"))
    #expect(try traces().count > 4)
    #expect(first.setConsent(.refused))
    #expect(try traces() == [])
    use(first)
    first.recordError()
    first.enterBackground()
    first.endSession()
    #expect(try traces() == [])
    // The process may have ended before everything was deleted.
    try Data("6 1795000000\n".utf8).write(to: place.url.appendingPathComponent("signal"))
    try Data("{}".utf8).write(to: place.url.appendingPathComponent("open.json"))
    for requirement in [ConsentRequirement.required, .notRequired] {
      let next = try client(transport, requirement)
      #expect(next.consent == .refused)
      use(next)
      #expect(try traces() == [])
    }
    #expect(transport.sent.isEmpty)
    #expect(try String(contentsOf: place.url.appendingPathComponent("consent"), encoding: .utf8) == "refused")
  }

  @Test("after a withdrawn refusal the client records again, with another random user and a session from then on")
  func grantedAgain() throws {
    let client = try client(ScriptedTransport([]))
    client.enterForeground()
    client.flush()
    let before = try #require(try documents(client).first?.installation)
    #expect(client.setConsent(.refused))
    #expect(client.setConsent(.granted))
    client.flush()
    let after = try documents(client)
    #expect(after.compactMap { $0.sessions?.first?.status } == ["ok"])
    #expect(after.allSatisfy { $0.installation != nil && $0.installation != before })
  }

  @Test("a refusal during uploads cancels them, sends no further file, and is not a failure of the server")
  func duringUploads() async throws {
    let transport = ScriptedTransport([])
    let client = try client(transport)
    for _ in 0..<10 { client.receive(metricKit: Data("{}".utf8)) }
    client.flush()
    #expect(await eventually { transport.holding.count == 4 })
    #expect(client.setConsent(.refused))
    #expect(transport.sent.count == 4 && transport.holding.isEmpty)
    #expect(client.payloads.files.isEmpty)
    #expect(await eventually { client.uploader.filesUnderway.isEmpty })
    #expect(transport.sent.count == 4)
    #expect(client.setConsent(.granted))
    client.receive(metricKit: Data("{}".utf8))
    #expect(await eventually { transport.sent.count == 5 })
  }

  @Test("a launch after a refusal cancels uploads that an earlier process began")
  func earlierUploads() async throws {
    try Data("refused".utf8).write(to: place.url.appendingPathComponent("consent"))
    let transport = ScriptedTransport([], underway: ["1-1795000000000-k-00000000000000000000000000000000.json"])
    let client = try client(transport)
    #expect(await eventually { transport.cancellations == 1 })
    #expect(client.payloads.files.isEmpty)
  }

  @Test("a damaged decision sends nothing until the next one, and a decision that cannot be stored says so")
  func damaged() async throws {
    let file = place.url.appendingPathComponent("consent")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let transport = ScriptedTransport([accepted])
    let client = try client(transport)
    use(client)
    #expect(client.payloads.files.count >= 3)
    #expect(transport.sent.isEmpty)
    #expect(!client.setConsent(.granted))
    #expect(await eventually { client.payloads.files.isEmpty })
    #expect(client.setConsent(.granted))
  }

  @Test("no data remains when threads measure and receive payloads while the person refuses")
  func concurrently() throws {
    let client = try client(ScriptedTransport([accepted]))
    DispatchQueue.concurrentPerform(iterations: 200) { number in
      switch number % 5 {
      case 0: client.receive(metricKit: Data("{}".utf8))
      case 1: use(client)
      case 2: client.enterBackground()
      case 3: client.setUser("user \(number)")
      default: _ = client.setConsent(number % 10 == 4 ? .granted : .refused)
      }
    }
    #expect(client.setConsent(.refused))
    #expect(try traces() == [])
    client.flush()
    #expect(try traces() == [])
  }

  @Test("a draw holds for every launch and every share, and installations of a small sample are in a larger one")
  func sampling() {
    let file = place.url.appendingPathComponent("sample")
    #expect(Sampling.includes(1, file: file) { 0.9 } && !FileManager.default.fileExists(atPath: file.path))
    #expect(!Sampling.includes(0.25, file: file) { 0.25 })
    #expect(Sampling.includes(0.2501, file: file) { 0.9 })
    #expect(!Sampling.includes(0, file: file) { 0 })
    #expect(!Sampling.includes(.nan, file: file) { 0 })
    let all = place.url.appendingPathComponent("all")
    var included = 0
    for number in 0..<1000 {
      try? FileManager.default.removeItem(at: all)
      if Sampling.includes(0.1, file: all, random: { Double(number) / 1000 }) { included += 1 }
    }
    #expect(included == 100)
    // Without a place for the draw each launch would draw again.
    #expect(!Sampling.includes(0.5, file: place.url.appendingPathComponent("no/folder")) { 0 })
  }

  @Test("an installation outside of the sample sends and keeps nothing, whatever the person decides")
  func outsideOfSample() throws {
    use(try client(ScriptedTransport([])))
    let transport = ScriptedTransport([accepted])
    let client = try client(transport, sampleRate: 0.5, random: 0.7)
    #expect(client.setConsent(.granted))
    use(client)
    #expect(try traces() == [])
    #expect(transport.sent.isEmpty)
    #expect(client.consent == .granted)
  }

  @Test("after a logout sessions and measurements have another random user, and a session has one user")
  func users() throws {
    let client = try client(ScriptedTransport([]))
    let random = try String(contentsOf: place.url.appendingPathComponent("installation"), encoding: .utf8)
    client.setUser("account")
    client.enterForeground()
    client.buffer.add(1, .screenLoad, label: "Cart")
    client.resetUser()
    client.buffer.add(2, .screenLoad, label: "Login")
    client.flush()
    let other = try String(contentsOf: place.url.appendingPathComponent("installation"), encoding: .utf8)
    #expect(UUID(uuidString: other) != nil && other != random)
    let sent = try documents(client)
    let sessions = sent.compactMap { document in
      document.sessions?.first.map { "\($0.status) \(document.installation == "account" ? "account" : "other")" }
    }
    #expect(sessions == ["ok account", "exited account", "ok other"])
    #expect(Set(sent.compactMap { $0.sessions?.first?.id }).count == 2)
    let measured = sent.filter { $0.measurements != nil }
    #expect(measured.map(\.installation) == ["account", other])
    #expect(measured.map { $0.measurements?.first?.label } == ["Cart", "Login"])
    // The next launch reports the end of the session for its own user, although another one is set.
    client.setUser("second account")
    let next = try self.client(ScriptedTransport([]))
    let ended = try documents(next).filter { $0.sessions?.first?.status == "abnormal" }
    #expect(ended.map(\.installation) == ["second account"])
    client.setUser(nil)
  }
}
