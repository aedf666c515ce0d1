import Foundation
import Testing
import TestSupport

@Suite("Sentry's protocol")
struct SentryTests {
  private static let session = """
    {}
    {"type":"session"}
    {"sid":"7c7b6585-f901-4351-bf8d-02711b721929","init":true,"started":"2026-11-21T09:00:00Z","status":"exited"}

    """

  /// Posts an envelope.
  private func post(
    _ body: String, _ server: ServerProcess, _ headers: [(String, String)] = [], query: String = "",
    path: String = "/api/1/envelope/"
  ) -> HTTPClient.Answer? {
    server.connect().send("POST", path + query, headers, body: body)
  }

  @Test("Sentry's protocol accepts a key wherever a client writes it, and refuses any other request")
  func keys() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let other = try stage.addApp("com.example.other")
    let server = try stage.serve()
    let sentry = [("X-Sentry-Auth", "Sentry sentry_version=7, sentry_key=\(key)")]
    let signed = Self.session.replacing("{}\n", with: "{\"dsn\":\"http://\(key)@127.0.0.1:\(server.port)/1\"}\n")
    #expect(post(Self.session, server, sentry)?.status == 200)
    #expect(post(Self.session, server, sentry, path: "/api/1/envelope")?.status == 200)
    #expect(post(Self.session, server, query: "?sentry_version=7&sentry_key=\(key)")?.status == 200)
    #expect(post(Self.session, server, query: "?key=\(key)")?.status == 200)
    #expect(post(Self.session, server, [("X-Plumb-Key", key)])?.status == 200)
    #expect(post(Self.session, server, [("Authorization", "Bearer \(key)")])?.status == 200)
    #expect(post(signed, server)?.status == 200 && post(signed, server, sentry)?.status == 200)
    let refused: [HTTPClient.Answer?] = [
      post(Self.session, server), post("", server), post(Self.session, server, query: "?sentry_key=nobody"),
      post(Self.session, server, sentry, query: "?sentry_key=\(other)"),
      post(Self.session, server, sentry, path: "/api/2/envelope/"),
      post(Self.session, server, sentry, path: "/api/shop/envelope/"),
      post(signed, server, query: "?sentry_key=\(other)", path: "/api/2/envelope/"),
      post(signed, server, path: "/api/2/envelope/"), post("{}", server, path: "/api/1/store/"),
    ]
    for answer in refused {
      #expect(answer?.status == 403 && answer?.header("Content-Type") == "application/problem+json")
      #expect(answer?.header("X-Sentry-Error")?.isEmpty == false)
    }
    #expect(try stage.report { $0["sessions"]["total"].integer == 1 }["sessions"]["total"].integer == 1)
  }

  @Test("Sentry's protocol answers with an event's id, and reports where an envelope is invalid")
  func answers() throws {
    let stage = try Stage()
    let own = [("X-Plumb-Key", try stage.addApp())]
    let server = try stage.serve()
    let event = "{\"event_id\":\"FC6D8C0C43FC4630AD850EE518F1B9D0\",\"level\":\"fatal\",\"release\":\"a@1\"}"
    let stored = post(event, server, own, path: "/api/1/store/")
    #expect(stored?.status == 200 && stored?.text == "{\"id\":\"fc6d8c0c43fc4630ad850ee518f1b9d0\"}")
    let enveloped = post("{}\n{\"type\":\"event\"}\n\(event)", server, own)
    #expect(enveloped?.text == stored?.text, "the same event again")
    #expect(post("{}", server, own)?.text == "{}")
    let broken = post("{}\n{\"type\":\"event\",\"length\":9}\n{}\n", server, own)
    #expect(broken?.status == 400 && broken?.header("X-Sentry-Error")?.contains("items[0].length") == true)
    #expect(try JSON(broken?.text ?? "")["path"].text == "items[0].length")
    #expect(server.connect().get("/api/1/envelope/", own)?.status == 405)
    let report = try stage.report { $0.metric("crash.count")["sum"].integer == 1 }
    #expect(report.metric("crash.count")["sum"].integer == 1, "an event that came twice counts once")
    #expect(report["sessions"]["total"].integer == 0, "a crash is no session")
  }

  @Test("Sentry's protocol counts a repeated transaction once, and unstored items by type")
  func measurements() throws {
    let stage = try Stage()
    let own = [("X-Plumb-Key", try stage.addApp())]
    let server = try stage.serve()
    let now = Date().timeIntervalSince1970
    let item = """
      {"type":"transaction"}
      {"event_id":"fc6d8c0c43fc4630ad850ee518f1b9d0","release":"a@1","transaction":"Cart","start_timestamp":\(now - 2),\
      "timestamp":\(now),"measurements":{"time_to_initial_display":{"value":420,"unit":"millisecond"}}}
      {"type":"replay_event"}
      {}

      """
    for second in [1, 2] {
      let answer = post("{\"sent_at\":\"2026-11-21T10:00:0\(second)Z\"}\n" + item, server, own)
      #expect(answer?.status == 200 && answer?.text == "{\"id\":\"fc6d8c0c43fc4630ad850ee518f1b9d0\"}")
    }
    let report = try stage.report { $0.metric("time_to_initial_display")["n"].integer == 1 }
    #expect(report.metric("time_to_initial_display")["n"].integer == 1)
    #expect(server.stop() == .exit(0))
    let counted = try tallies(of: stage)
    #expect(counted["skipped replay_event"] == 2 && counted["duplicate idempotency key"] == 1, "\(counted)")
  }

  @Test("Sentry's protocol marks sessions with a hang: those that ended in one, and those of a user with a hang")
  func hangs() throws {
    let stage = try Stage()
    let own = [("X-Plumb-Key", try stage.addApp())]
    let server = try stage.serve()
    let now = ISO8601DateFormatter().string(from: Date())
    func session(_ id: String, _ user: String, _ more: String) -> String {
      """
      {"type":"session"}
      {"sid":"\(id)","did":"\(user)","started":"\(now)","attrs":{"release":"a@1"},\(more)}

      """
    }
    let hang = """
      {"type":"event"}
      {"level":"error","release":"a@1","timestamp":"\(now)","user":{"id":"second"},"exception":{"values":[\
      {"type":"App Hanging","value":"App hanging between 2.1 and 2.4 seconds.","mechanism":{"type":"AppHang"}}]}}

      """
    let ended = session("1", "first", "\"status\":\"abnormal\",\"abnormal_mechanism\":\"anr_foreground\"")
    let killed = session("3", "third", "\"status\":\"abnormal\"")
    let sessions = ended + session("2", "second", "\"status\":\"ok\"") + killed + session("4", "4", "\"status\":\"ok\"")
    #expect(post("{}\n" + sessions, server, own)?.status == 200)
    #expect(post("{}\n" + hang, server, own)?.status == 200)
    let report = try stage.report { $0["sessions"]["hang_free"]["value"].number == 0.5 }
    #expect(report["sessions"]["hang_free"]["value"].number == 0.5 && report["sessions"]["hang_free"]["n"].integer == 4)
    #expect(report["sessions"]["crash_free"]["value"].number == 1 && report["sessions"]["abnormal"].integer == 2)
  }

  @Test("Sentry's protocol accepts crashes while sessions must wait")
  func limits() throws {
    let stage = try Stage()
    let own = [("X-Plumb-Key", try stage.addApp())]
    let server = try stage.serve(environment: ["PLUMB_REQUESTS_PER_SECOND": "1"])
    let answers = (0..<8).map { _ in post(Self.session, server, own) }
    let limited = answers.last { $0?.status == 429 } ?? nil
    #expect(limited?.header("X-Sentry-Rate-Limits")?.hasSuffix(":session:key") == true)
    #expect(limited?.header("Retry-After").flatMap { Int($0) }.map { $0 >= 1 } == true)
    let crash = "{}\n{\"type\":\"event\"}\n{\"level\":\"fatal\"}\n{\"type\":\"session\"}\n{\"started\":0}"
    #expect(post(crash, server, own)?.status == 200)
  }

  @Test("Sentry's protocol counts sessions that are updated, retried, reordered and lost like a custom client")
  func updates() throws {
    let stage = try Stage()
    let own = [("X-Plumb-Key", try stage.addApp())]
    let server = try stage.serve()
    var random = SeededRandom(seed: 7)
    var sent: [Update] = []
    for number in 0..<60 { sent += Update.life(of: number, &random) }
    sent += sent.filter { _ in Bool.random(using: &random) }
    sent.shuffle(using: &random)
    for update in sent { #expect(post(update.envelope, server, own)?.status == 200) }
    // The last update of each that was sent decides.
    let last = Dictionary(grouping: sent, by: \.session).compactMapValues { $0.max { $0.sequence < $1.sequence } }
    let expected = Dictionary(grouping: last.values, by: \.outcome).mapValues(\.count)
    let report = try stage.report {
      $0["sessions"]["total"].integer == last.count && $0["sessions"]["crashed"].integer == expected["crashed"]
    }
    for outcome in ["healthy", "errored", "abnormal", "crashed"] {
      #expect(report["sessions"][outcome].integer == expected[outcome] ?? 0, "\(outcome)")
    }
    #expect(report["sessions"]["total"].integer == last.count)
  }
}

/// What a phone says of a session at one moment: its whole state, numbered.
private struct Update {
  let session: Int
  let sequence: Int
  let status: String
  let errors: Int

  /// A session's updates from its start to its end; some of them are never sent.
  static func life(of session: Int, _ random: inout SeededRandom) -> [Update] {
    var updates = [Update(session: session, sequence: 1, status: "ok", errors: 0)]
    var errors = 0
    for sequence in 2..<Int.random(in: 2...5, using: &random) + 1 {
      errors += Int.random(in: 0...3, using: &random) == 0 ? 1 : 0
      updates.append(Update(session: session, sequence: sequence, status: "ok", errors: errors))
    }
    let end = ["exited", "exited", "exited", "crashed", "abnormal"].randomElement(using: &random) ?? "exited"
    updates.append(
      Update(session: session, sequence: updates.count + 1, status: end, errors: errors + (end == "crashed" ? 1 : 0)))
    let kept = updates.filter { _ in Int.random(in: 0...4, using: &random) > 0 }
    return kept.isEmpty ? Array(updates.prefix(1)) : kept
  }

  var outcome: String {
    if status == "crashed" || status == "abnormal" { return status }
    return errors > 0 ? "errored" : "healthy"
  }

  /// Upper-case ids with dashes and no length, as iOS clients send them.
  var envelope: String {
    let digits = String(session, radix: 16, uppercase: true)
    let id = "7C7B6585-F901-4351-BF8D-" + String(repeating: "0", count: 12 - digits.count) + digits
    let now = ISO8601DateFormatter().string(from: Date())
    return """
      {"sdk":{"name":"sentry.cocoa"},"sent_at":"\(now)"}
      {"type":"session"}
      {"sid":"\(id)","did":"phone-\(session % 7)",\(sequence == 1 ? "\"init\":true," : "")"seq":\(sequence),\
      "started":"\(now)","timestamp":"\(now)","status":"\(status)","errors":\(errors),\
      "attrs":{"release":"com.example.shop@4.2.0+1234","environment":"production"}}
      """
  }
}
