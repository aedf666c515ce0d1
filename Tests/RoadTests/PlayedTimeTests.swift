import Foundation
import Testing
import TestSupport

@Suite("The hidden flag --now")
struct PlayedTimeTests {
  /// Documents of as many people with a session each, the first `crashed` of them crashed.
  private func take(
    _ count: Int, crashed: Int = 0, people: String = "person", started: String, now: String, into stage: Stage
  ) throws {
    let documents = (0..<count).map { number in
      let status = number < crashed ? "crashed" : "exited"
      let session = "{\"id\":\"\(now)-\(number)\",\"status\":\"\(status)\",\"started\":\"\(started)\"}"
      let document = Payload.native("\"sessions\":[\(session)]")
      return document.replacingOccurrences(of: "someone", with: "\(people)-\(number)")
    }
    try stage.write(documents.joined(separator: "\n"), to: "fleet.ndjson")
    let taken = try stage.run("import", "fleet.ndjson", "--app", Payload.app, "--now", now)
    try #require(taken.succeeded, "\(taken.errors)")
  }

  /// A stage on which 40 of 400 people crashed on Monday, the second of March.
  private func broken() throws -> Stage {
    let stage = try Stage()
    _ = try stage.addApp()
    try take(400, crashed: 40, started: "2026-03-02T08:00:00Z", now: "2026-03-02T10:00:00Z", into: stage)
    return stage
  }

  @Test("an incident opens, is repeated and ends at the times of --now")
  func incident() throws {
    let stage = try broken()
    let stateless = try stage.run("check", "--stateless", "--now", "2026-03-02T10:05:00Z")
    #expect(stateless.ending == .exit(2) && stateless.output.hasPrefix("BROKEN \(Payload.app): "))
    #expect(try stage.run("incidents", "list", "--days", "400").output.isEmpty)

    let first = try stage.run("check", "--now", "2026-03-02T10:05:00Z")
    #expect(first.ending == .exit(2) && first.output.hasPrefix("BROKEN \(Payload.app): "), "\(first.output)")
    #expect(first.output.contains("Noticed: 2026-03-02T10:05:00Z"), "\(first.output)")
    #expect(first.output.contains("crashes use up the error budget"), "what arrived counts as of its time")
    #expect(try stage.run("check", "--now", "2026-03-03T10:04:00Z").output.isEmpty)
    // The time zone counts: 10:06 UTC, a minute more than a day later.
    let reminder = try stage.run("check", "--now", "2026-03-03T12:06:00+02:00")
    #expect(reminder.output.hasPrefix("STILL BROKEN \(Payload.app): "), "\(reminder.output)")

    for hour in ["12", "13"] {
      try take(6500, started: "2026-03-03T11:00:00Z", now: "2026-03-03T\(hour):00:00Z", into: stage)
    }
    // The budgets are met. They have to stay so for six hours, on sessions and people that come later.
    #expect(try stage.run("check", "--now", "2026-03-03T13:05:00Z").output.isEmpty)
    try take(700, people: "other", started: "2026-03-03T14:00:00Z", now: "2026-03-03T19:00:00Z", into: stage)
    // On a release, sessions of yesterday and today prove nothing yet, because a crash is told by the next launch.
    #expect(try stage.run("check", "--now", "2026-03-03T19:10:00Z").output.isEmpty)
    try take(700, people: "later", started: "2026-03-05T14:00:00Z", now: "2026-03-05T19:00:00Z", into: stage)
    let over = try stage.run("check", "--now", "2026-03-05T19:10:00Z")
    #expect(over.output.contains("RESOLVED \(Payload.app): "), "\(over.output)")
    let listed = try stage.run("incidents", "list", "--days", "400").output
    #expect(listed.contains("resolved 2026-03-05T19:10:00Z, open since 2026-0"), "\(listed)")
  }

  @Test("missing payloads are reported a day later by --now")
  func stale() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    // Ten a day for eight days: a silence of a day is ten times the average distance.
    for day in 10...17 {
      try take(10, started: "2026-03-\(day)T08:00:00Z", now: "2026-03-\(day)T09:00:00Z", into: stage)
      let quiet = try stage.run("check", "--now", "2026-03-\(day)T09:05:00Z")
      #expect(quiet.output.isEmpty, "\(quiet.output)")
    }
    #expect(try stage.run("check", "--now", "2026-03-18T08:30:00Z").output.isEmpty)
    let told = try stage.run("check", "--now", "2026-03-20T09:30:00Z")
    #expect(told.output.hasPrefix("NO DATA \(Payload.app): "), "\(told.output)")
    try take(10, started: "2026-03-20T10:00:00Z", now: "2026-03-20T10:00:00Z", into: stage)
    let over = try stage.run("check", "--now", "2026-03-20T10:05:00Z").output
    #expect(over.hasPrefix("RESOLVED \(Payload.app): "), "\(over)")
  }

  @Test("burn rates, the comparison's date and the summary's week follow --now")
  func windows() throws {
    let stage = try broken()
    let then = try stage.run(
      "report", "--app", Payload.app, "--format", "json", "--now", "2026-03-02T10:05:00Z")
    let later = try stage.run(
      "report", "--app", Payload.app, "--format", "json", "--now", "2026-03-09T10:05:00Z")
    let burn = try [then, later].map { try JSON($0.output)["burn"]["windows"][0] }
    #expect(burn[0]["crashed"].integer == 40, "\(then.output)")
    #expect(burn[1]["crashed"].integer == 0, "\(later.output)")

    let digest = try stage.run("digest", "--app", Payload.app, "--now", "2026-03-09T08:00:00Z")
    let text = digest.output.replacingOccurrences(of: "\u{A0}", with: " ")
    #expect(text.contains("2026-03-02 to 2026-03-08") && text.contains("90.0 % crash-free"), "\(text)\(digest.errors)")
    let next = try stage.run("digest", "--app", Payload.app, "--now", "2026-03-16T08:00:00Z").output
    #expect(next.contains("2026-03-09 to 2026-03-15") && !next.contains("crash-free sessions ("), "\(next)")
  }

  @Test("a failed channel is retried for a week by --now")
  func channels() throws {
    let stage = try broken()
    let channel = Sink { _, _ in .status(503, headers: ["Retry-After: 900"]) }
    try stage.write(
      """
      alerts:
        channels:
          ops: { kind: webhook, url: "\(channel.address)", allow-private: true, timeout: 2 s }
        routes:
          - app: com.example.*
            channels: [ops]
      """, to: "plumb.yaml")
    var attempts = 0
    for (day, isTried) in [(2, true), (8, true), (10, false)] {
      let now = "2026-03-\(day < 10 ? "0" : "")\(day)T10:05:00Z"
      let told = try stage.run("check", "--remind-after", "never", "--now", now)
      #expect(told.errors.contains("channel ops: ") == isTried, "\(now): \(told.errors)")
      #expect((channel.requests.count > attempts) == isTried, "\(now)")
      attempts = channel.requests.count
    }
  }

  @Test("--now is refused with exit code 64 if the time is invalid, and by the server, with the reason")
  func refused() throws {
    let stage = try broken()
    let app = ["--app", Payload.app]
    for command in [["check"], ["report"] + app, ["digest"], ["import", "x.json"] + app] {
      for wrong in ["yesterday", "2026-03-02", "2026-03-02T10:00:00", "2026-13-02T10:00:00Z", ""] {
        let told = try stage.run(program: Program.plumb, command + ["--now", wrong])
        #expect(told.ending == .exit(64), "\(command) \(wrong)")
        #expect(told.errors.contains("--now") && told.errors.contains("2026-11-20T10:00:00Z"), "\(told.errors)")
      }
    }
    let served = try stage.run("serve", "--listen", "127.0.0.1:0", "--now", "2026-03-02T10:00:00Z")
    #expect(served.ending == .exit(64) && served.errors.contains("--now does not work with serve"), "\(served.errors)")
  }

  @Test("--help does not list --now, and --help-hidden does")
  func hidden() throws {
    let stage = try Stage()
    for command in ["check", "report", "digest", "compare", "rollout", "import", "serve"] {
      let help = try stage.run(command, "--help")
      #expect(help.succeeded && !help.output.contains("--now"), "\(command)")
      let all = try stage.run(command, "--help-hidden")
      #expect(all.output.contains("--now") == (command != "serve"), "\(command)")
    }
  }
}
