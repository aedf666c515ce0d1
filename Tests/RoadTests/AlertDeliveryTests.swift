import Foundation
import Testing
import TestSupport

@Suite("Delivery of alerts")
struct AlertDeliveryTests {
  private static let day: String = ISO8601DateFormatter().string(from: Date().addingTimeInterval(-3 * 86_400))

  /// A stage on which 40 of 400 people crashed, and settings that send to `address`, and in vain to `broken`.
  private func broken(_ address: String, broken: String, allowed: Bool = true) throws -> (stage: Stage, path: String) {
    let stage = try Stage()
    _ = try stage.addApp()
    let documents = (0..<400).map { number in
      let status = number < 40 ? "crashed" : "exited"
      let session = "{\"id\":\"s\(number)\",\"status\":\"\(status)\",\"started\":\"\(Self.day)\"}"
      return Payload.native("\"sessions\":[\(session)]")
        .replacingOccurrences(of: "someone", with: "person-\(number)")
    }
    try stage.write(documents.joined(separator: "\n"), to: "fleet.ndjson")
    let taken = try stage.run("import", "fleet.ndjson", "--app", Payload.app)
    try #require(taken.succeeded, "\(taken.errors)")
    try stage.write(
      """
      alerts:
        channels:
          ops: { kind: webhook, url: "\(address)", allow-private: \(allowed) }
          broken: { kind: webhook, url: "\(broken)", allow-private: true, timeout: 2 s }
        routes:
          - app: com.example.*
            channels: [ops, broken]
      """, to: "plumb.yaml")
    return (stage, stage.folder + "/plumb.yaml")
  }

  @Test("each channel gets a message once; one that fails is reported, retried, and delays no other")
  func once() throws {
    let good = Sink { _, _ in .status(200) }
    // Refused for good at first sight would never be tried again: 503 passes.
    let bad = Sink { number, _ in .status(number < 6 ? 503 : 200, headers: ["Retry-After: 900"]) }
    let (stage, path) = try broken(good.address, broken: bad.address)

    let first = try stage.run("check", "--config", path, limit: 600)
    #expect(first.ending == .exit(2) && first.output.hasPrefix("BROKEN \(Payload.app): "), "\(first.output)")
    #expect(first.errors.contains("channel broken: "), "\(first.errors)")
    #expect(good.requests.count == 1)
    let body = try JSON(String(decoding: try #require(good.requests.first).body, as: UTF8.self))
    #expect(body["app"].text == Payload.app && body["event"].text == "opened")
    #expect(try #require(good.requests.first).header("Idempotency-Key")?.isEmpty == false)

    var attempts = bad.requests.count
    #expect(attempts >= 1)
    while attempts < 7 {
      let again = try stage.run("check", "--config", path, limit: 600)
      #expect(again.ending == .exit(2) && again.output.isEmpty, "\(again.output)")
      #expect(bad.requests.count > attempts, "tried again")
      guard bad.requests.count > attempts else { break }
      attempts = bad.requests.count
    }
    let keys = Set(bad.requests.compactMap { $0.header("Idempotency-Key") })
    #expect(keys.count == 1, "the same message every time")
    let quiet = try stage.run("check", "--config", path)
    #expect(quiet.errors.isEmpty && bad.requests.count == attempts && good.requests.count == 1, "\(quiet.errors)")
  }

  @Test("a server that checks on its own sends alerts, and a parallel check does not send them again")
  func server() throws {
    let sink = Sink { _, _ in .status(200) }
    let (stage, path) = try broken(sink.address, broken: sink.address)
    let server = try stage.serve("--check-every", "1s", "--config", path)
    _ = eventually(within: 240) { sink.requests.count >= 2 }
    for _ in 0..<3 { _ = try stage.run("check", "--config", path) }
    // Another app breaks afterwards. Once that is delivered, the server has evaluated the first one again.
    let other = "com.example.other"
    _ = try stage.addApp(other)
    let taken = try stage.run("import", "fleet.ndjson", "--app", other)
    try #require(taken.succeeded, "\(taken.errors)")
    func apps() throws -> [String?] {
      try sink.requests.map { try JSON(String(decoding: $0.body, as: UTF8.self))["app"].text }
    }
    _ = try eventually(within: 240) { try apps().count { $0 == other } >= 2 }
    #expect(try apps().count { $0 == Payload.app } == 2, "one for each of two channels")
    #expect(try apps().count { $0 == other } == 2)
    #expect(server.stop() == .exit(0))
  }

  @Test("a read-only run sends nothing, and a private address that is not allowed gets nothing")
  func refused() throws {
    let sink = Sink { _, _ in .status(200) }
    let (stage, path) = try broken("https://127.0.0.1:\(sink.port)/", broken: sink.address, allowed: false)
    for flags in [["--stateless"], ["--format", "json"]] {
      _ = try stage.run(program: Program.plumb, ["check", "--config", path] + flags)
    }
    #expect(sink.requests.isEmpty)
    let told = try stage.run("check", "--config", path)
    #expect(told.errors.contains("channel ops: ") && told.errors.contains("private address"), "\(told.errors)")
    #expect(sink.requests.count == 1, "the other channel")
  }
}
