import Foundation
import Testing
import TestSupport

@Suite("plumb check as an alert")
struct IncidentTests {
  private static let threeDaysAgo: String = {
    let formatter = ISO8601DateFormatter()
    return formatter.string(from: Date().addingTimeInterval(-3 * 86_400))
  }()

  /// Sessions of as many people, the first `crashed` of them crashed, three days ago.
  private static func fleet(_ count: Int, crashed: Int, prefix: String) -> String {
    (0..<count).map { number in
      let status = number < crashed ? "crashed" : "exited"
      let session = "{\"id\":\"\(prefix)\(number)\",\"status\":\"\(status)\",\"started\":\"\(threeDaysAgo)\"}"
      return Payload.native("\"sessions\":[\(session)]")
        .replacingOccurrences(of: "someone", with: "\(prefix)-\(number)")
    }.joined(separator: "\n")
  }

  private func take(_ stage: Stage, _ count: Int, crashed: Int, prefix: String, now: String? = nil) throws {
    try stage.write(Self.fleet(count, crashed: crashed, prefix: prefix), to: "\(prefix).ndjson")
    let time = now.map { ["--now", $0] } ?? []
    let taken = try stage.run(program: Program.plumb, ["import", "\(prefix).ndjson", "--app", Payload.app] + time)
    try #require(taken.succeeded, "\(taken.errors)")
  }

  /// A stage on which 40 of 400 people crashed.
  private func broken() throws -> Stage {
    let stage = try Stage()
    _ = try stage.addApp()
    try take(stage, 400, crashed: 40, prefix: "a")
    return stage
  }

  @Test("check prints once that a budget is broken and once that it recovered, with the verdicts' exit code")
  func life() throws {
    let stage = try broken()
    let first = try stage.run("check", "--public-url", "https://plumb.example.com/")
    #expect(first.ending == .exit(2))
    let lines = first.output.split(separator: "\n").map(String.init)
    let title = try #require(lines.first)
    for part in [
      "BROKEN \(Payload.app): 4.2.0: crash-free sessions is 90", ", budget ≥ 99.5", "more budget",
    ] {
      #expect(title.contains(part), "\(part): \(title)")
    }
    #expect(!title.contains("also all releases"), "the same crashes, counted again: \(title)")
    for part in ["sessions.crash_free is ", "at 95", "n 400", ", 99.9", "sure, budget >= 99.5", "[production"] {
      #expect(first.output.contains("Budget: ") && first.output.contains(part), "\(part): \(first.output)")
    }
    #expect(first.output.contains("40 of 400 sessions crashed, of at least 40 users"), "\(first.output)")
    #expect(first.output.contains("https://plumb.example.com/apps/\(Payload.app)/metrics/sessions.crash_free?"))
    #expect(lines.count { $0.hasPrefix("BROKEN") } == 1, "one message: \(first.output)")
    let report = try stage.run("report", "--app", Payload.app).output
    #expect(report.contains("\nIncidents\n") && report.contains("4.2.0: crash-free sessions is 90"), "\(report)")
    for _ in 0..<2 {
      let again = try stage.run("check")
      #expect(again.ending == .exit(2) && again.output.isEmpty, "\(again.output)")
    }
    for prefix in ["b", "c"] { try take(stage, 6500, crashed: 0, prefix: prefix) }
    // The budgets are met. That crashes used up the error budget is over after six hours of new sessions.
    let met = try stage.run("check")
    #expect(met.ending == .exit(0) && met.output.isEmpty, "\(met.output)")
    let formatter = ISO8601DateFormatter()
    let (evening, night) = (Date().addingTimeInterval(6 * 3600), Date().addingTimeInterval(6 * 3600 + 600))
    try take(stage, 700, crashed: 0, prefix: "d", now: formatter.string(from: evening))
    let over = try stage.run("check", "--now", formatter.string(from: night))
    #expect(over.ending == .exit(0) && over.output.hasPrefix("RESOLVED \(Payload.app): "), "\(over.output)")
    #expect(try stage.run("check", "--now", formatter.string(from: night)).output.isEmpty)
    let listed = try stage.run("incidents", "list").output
    #expect(listed.contains("resolved "), "\(listed)")
  }

  @Test("a broken verdict that chance explains is not an incident, and only --all and --stateless print it")
  func verdictOnly() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    // By SciPy: 10 of 1,000 are above 0.5 % at 95 % (bound 0.544 %), not at 99.9 % (bound 0.297 %).
    try take(stage, 1000, crashed: 10, prefix: "a")
    let quiet = try stage.run("check")
    #expect(quiet.ending == .exit(2) && quiet.output.isEmpty && quiet.errors.isEmpty, "\(quiet.output)")
    for flag in ["--all", "--stateless"] {
      let told = try stage.run("check", flag)
      #expect(told.ending == .exit(2) && told.output.hasPrefix("BROKEN \(Payload.app): "), "\(told.output)")
    }
  }

  @Test("parallel runs of check report a change once")
  func together() throws {
    let stage = try broken()
    let children = try (0..<5).map { _ in try stage.start(["check"]) }
    for child in children { #expect(child.waitFor(seconds: 120) == .exit(2), "\(child.errors)") }
    let outputs = children.map(\.output)
    #expect(outputs.count { $0.contains("BROKEN") } == 1, "\(outputs)")
    #expect(try stage.run("incidents", "list").output.contains("crash-free sessions is"))
  }

  @Test("a read-only run opens nothing, and the run after it reports")
  func stateless() throws {
    let stage = try broken()
    for flags in [["--stateless"], ["--format", "json"], ["--format", "junit"], ["--from", "2020-01-01"]] {
      _ = try stage.run(program: Program.plumb, ["check"] + flags)
      #expect(try stage.run("incidents", "list").output.isEmpty, "\(flags)")
    }
    #expect(try stage.run("check").output.hasPrefix("BROKEN"))
    let told = try JSON(try stage.run("check", "--format", "json").output)
    #expect(told["incidents"].list.contains { $0["rule"].text == "budget" && $0["state"].text == "open" })
  }

  @Test("a silence keeps check quiet until it is removed, and states its reason")
  func silence() throws {
    let stage = try broken()
    let added = try stage.run("silence", "add", "--app", Payload.app, "--for", "2d", "--reason", "the fix is in review")
    #expect(added.succeeded, "\(added.errors)")
    #expect(try stage.run("check").output.isEmpty)
    #expect(try stage.run("silence", "list").output.contains("the fix is in review"))
    #expect(try stage.run("silence", "remove", "1").succeeded)
    #expect(try stage.run("check").output.hasPrefix("BROKEN"))
    for wrong in [
      ["--for", "2d"], ["--reason", "x"], ["--for", "2x", "--reason", "x"], ["--until", "soon", "--reason", "x"],
      ["--for", "1d", "--until", "2030-01-01T00:00:00Z", "--reason", "x"],
      ["--until", "2020-01-01T00:00:00Z", "--reason", "it has ended"],
    ] {
      #expect(try stage.run(program: Program.plumb, ["silence", "add"] + wrong).ending == .exit(64), "\(wrong)")
    }
  }

  @Test("an app with a broken budget file is an incident, and other apps are still judged")
  func notJudged() throws {
    let stage = try broken()
    _ = try stage.addApp("com.example.other")
    try stage.write("budgets:\n  - nonsense\n", to: "data/budgets/com.example.other.yaml")
    let told = try stage.run("check")
    #expect(told.ending == .exit(3) && told.errors.contains("com.example.other"), "\(told.errors)")
    #expect(told.output.contains("NOT JUDGED com.example.other: could not be judged: "), "\(told.output)")
    #expect(told.output.contains("BROKEN \(Payload.app): "))
    try FileManager.default.removeItem(atPath: stage.data + "/budgets/com.example.other.yaml")
    #expect(try stage.run("check").output.hasPrefix("RESOLVED com.example.other: is judged again"))
  }

  @Test("check reports records that no process digests")
  func digest() throws {
    let stage = try broken()
    _ = try stage.run("check")
    // As if a server had died an hour ago with a record it had accepted.
    let old = Int64(Date().timeIntervalSince1970 * 1000) - 3_600_000
    try SQLFile.run(
      "INSERT INTO batch (through, first, count, received, records) VALUES (100000, 100000, 1, \(old), x'00')",
      in: stage.data + "/journal.db")
    let told = try stage.run("check")
    #expect(told.output.hasPrefix("BEHIND all apps: "), "\(told.output)")
    try SQLFile.run("DELETE FROM batch WHERE through = 100000", in: stage.data + "/journal.db")
    #expect(try stage.run("check").output.hasPrefix("RESOLVED all apps: "))
  }

  @Test("a server that checks on its own reports in its log, on pages and in the API")
  func server() throws {
    let stage = try broken()
    let server = try stage.serve("--open", "--check-every", "1s")
    #expect(
      eventually(within: 240) { server.child.errors.contains("BROKEN \(Payload.app): ") }, "\(server.child.errors)")
    let client = server.connect()
    let local = [("Host", "localhost")]
    for path in ["/api/v1/alerts", "/api/v1/apps/\(Payload.app)/alerts"] {
      let list = try JSON(try #require(client.get(path, local)).text)
      #expect(list["open"].list.contains { $0["app"].text == Payload.app && $0["rule"].text == "budget" }, "\(path)")
    }
    for path in ["/alerts", "/apps/\(Payload.app)/alerts"] {
      let page = try #require(client.get(path, local))
      #expect(page.status == 200 && page.text.contains("sessions.crash_free"), "\(path)")
    }
    #expect(client.get("/apps/nobody/alerts", local)?.status == 404)
    #expect(client.get("/api/v1/alerts?x=1", local)?.status == 400)
    #expect(try stage.run("check").output.hasPrefix("BROKEN"), "cron hears of it, too")
    _ = server.stop()
    #expect(try stage.run("serve", "--check-every", "often", limit: 600).ending == .exit(64))
  }
}
