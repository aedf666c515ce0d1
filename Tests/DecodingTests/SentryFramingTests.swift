import Testing

@testable import Core
@testable import Ingest

@Suite("A Sentry envelope")
struct SentryFramingTests {
  private let session = "{\"started\":\"2026-11-21T09:00:00Z\",\"status\":\"exited\"}"

  private func sessions(_ text: String) throws -> Int {
    try decode(envelope: text).reports.reduce(0) { $0 + $1.sessions.count }
  }

  @Test("a Sentry envelope is split by lengths, by lines, and at its end")
  func cuts() throws {
    let size = session.utf8.count
    #expect(try sessions("{}\n{\"type\":\"session\"}\n\(session)") == 1)
    #expect(try sessions("{}\n{\"type\":\"session\"}\n\(session)\n\n\n") == 1)
    #expect(try sessions("{}\n{\"type\":\"session\",\"length\":\(size)}\n\(session)\n") == 1)
    #expect(try sessions("{}\n{\"type\":\"session\",\"length\":\(size)}\n\(session)") == 1)
    let padded = session + "\n\n"
    let item = "{\"type\":\"session\",\"length\":\(padded.utf8.count)}\n\(padded)\n"
    #expect(try sessions("{}\n\(item)\(item)") == 2, "line breaks within a length are payload")
    #expect(try sessions("{}\n{\"type\":\"session\"}\n\(session)\r\n{\"type\":\"session\"}\n\(session)") == 2)
  }

  @Test("a Sentry envelope may be empty, or have items of unknown types")
  func skips() throws {
    #expect(try decode(envelope: "{}") == Decoded(reports: []))
    #expect(try decode(envelope: "{}\n").reports.isEmpty)
    let others = "{\"type\":\"attachment\",\"length\":3,\"filename\":\"MXDiagnosticPayload.json\"}\n\n\"{\n"
    #expect(try sessions("{}\n\(others){\"type\":\"what\"}\never\n{\"type\":\"session\"}\n\(session)") == 1)
    #expect(try sessions("{}\n{\"type\":\"attachment\",\"length\":0}\n\n{\"type\":\"session\"}\n\(session)") == 1)
    #expect(try decode(envelope: "{}\n{\"type\":\"attachment\",\"length\":0}").reports.isEmpty)
  }

  @Test(
    "a Sentry envelope that cannot be split is refused with the position",
    arguments: [
      ("", ""), ("\n", "header"), ("[]", "header"), ("nonsense\n", "header"), ("{}\n[]\n{}", "items[0]"),
      ("{}\n{}\n{}", "items[0].type"), ("{}\n{\"type\":3}\n{}", "items[0].type"),
      ("{}\n{\"type\":\"x\"}\n{}\n{\"type\":\"x\",\"length\":3}\n{}", "items[1].length"),
      ("{}\n{\"type\":\"x\",\"length\":1}\n{}\n", "items[0].length"),
      ("{}\n{\"type\":\"x\",\"length\":-1}\n{}\n", "items[0].length"),
      ("{}\n{\"type\":\"x\",\"length\":18446744073709551615}\n{}\n", "items[0].length"),
    ])
  func refusals(text: String, path: String) {
    let found = failure(envelope: text)
    #expect(found?.path == path && found?.detail.isEmpty == false, "\(String(describing: found))")
  }

  @Test("a Sentry envelope keeps its other items if one cannot be read")
  func partial() throws {
    let decoded = try decode(
      envelope: envelope(("session", "{"), ("session", session), ("session", "{\"status\":\"ok\"}"), ("event", "[]")))
    #expect(decoded.reports.map(\.sessions.count) == [1])
    #expect(decoded.rejection?.count == 3)
    #expect(decoded.rejection?.message.hasPrefix("items[0]") == true)
  }

  @Test("a Sentry envelope has its key and project in its first line")
  func keys() {
    let decoder = PayloadDecoder()
    func dsn(_ text: String) -> SentryDSN? {
      Array(text.utf8).withUnsafeBytes { decoder.envelopeDSN(in: $0) }
    }
    let found = dsn("{\"event_id\":\"x\",\"dsn\":\"https://abc:secret@plumb.example.com:8080/sub/42\"}\nbroken")
    #expect(found?.key == "abc" && found?.project == "42")
    #expect(dsn("{\"dsn\":\"http://abc@h/7\"}")?.project == "7")
    for text in [
      "", "{}", "{\"dsn\":3}", "{\"dsn\":\"h/7\"}", "{\"dsn\":\"http://@h/7\"}", "{\"dsn\":\"http://abc@h\"}",
    ] {
      #expect(dsn(text) == nil, "\(text)")
    }
  }

  @Test("a Sentry envelope's rate-limit categories follow from its content")
  func categories() {
    let decoder = PayloadDecoder()
    func categories(_ text: String) -> EnvelopeCategories {
      Array(text.utf8).withUnsafeBytes { decoder.envelopeLayout(of: $0).categories }
    }
    #expect(categories(envelope(("session", "{}"), ("sessions", "{}"))) == [.session])
    #expect(categories(envelope(("session", "{}"), ("event", "{}"))) == [.session, .error])
    #expect(categories(envelope(("client_report", "{}"))) == [] && categories("x") == [])
  }
}
