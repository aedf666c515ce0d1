import Foundation
import Testing
import TestSupport

@Suite("The weekly summary")
struct DigestTests {
  private static let day: Date = Date().addingTimeInterval(-3 * 86_400)

  /// A stage with two weeks: 40 of 400 sessions crashed this week, 4 of 400 the week before.
  private func stage() throws -> Stage {
    let stage = try Stage()
    _ = try stage.addApp()
    let weeks = [(Self.day, 40, "a"), (Self.day.addingTimeInterval(-7 * 86_400), 4, "b")]
    let documents = weeks.flatMap { start, crashed, prefix in
      (0..<400).map { number in
        let status = number < crashed ? "crashed" : "exited"
        let started = ISO8601DateFormatter().string(from: start)
        let session = "{\"id\":\"\(prefix)\(number)\",\"status\":\"\(status)\",\"started\":\"\(started)\"}"
        return Payload.native("\"sessions\":[\(session)]").replacingOccurrences(
          of: "someone", with: "person-\(number)")
      }
    }
    try stage.write(documents.joined(separator: "\n"), to: "fleet.ndjson")
    let taken = try stage.run("import", "fleet.ndjson", "--app", Payload.app)
    try #require(taken.succeeded, "\(taken.errors)")
    return stage
  }

  private func plain(_ text: String) -> String { text.replacingOccurrences(of: "\u{A0}", with: " ") }

  @Test("a weekly summary equals the week's report, with the previous week, as text, HTML, Slack blocks and JSON")
  func forms() throws {
    let stage = try stage()
    #expect(try [.exit(0), .exit(2)].contains(stage.run("check").ending))
    let told = try stage.run("digest", "--public-url", "https://plumb.example.com/")
    try #require(told.succeeded, "\(told.errors)")
    let text = plain(told.output)
    #expect(text.hasPrefix("\(Payload.app), "), "\(text)")
    let title = try #require(text.split(separator: "\n").first)
    #expect(title.contains("90.0 % crash-free sessions (99.00 % the week before)"), "\(title)")
    #expect(title.contains(" budgets broken"), "\(title)")
    #expect(text.contains("BROKEN: sessions.crash_free is 90 %"), "\(text)")
    // Nothing came of a release on the last day, so that the week is judged as a whole.
    #expect(text.contains("budget >= 99.5 % [production, 2026-") || text.contains("4.2.0"), "\(text)")
    #expect(text.contains("https://plumb.example.com/apps/\(Payload.app)?from="), "\(text)")
    let report = try stage.report("--from", String(window(title).from), "--to", String(window(title).to))
    #expect(report["sessions"]["total"].integer == 400 && report["sessions"]["crashed"].integer == 40)

    let html = try stage.run("digest", "--format", "html")
    #expect(html.output.hasPrefix("<!doctype html>") && plain(html.output).contains("90.0 % crash-free"))
    let slack = try JSON(try stage.run("digest", "--format", "slack").output)
    #expect(slack["blocks"].list.first?["type"].text == "header")
    let json = try JSON(try stage.run("digest", "--format", "json", "--every", "day").output)
    #expect(json["event"].text == "digest" && json["title"].text?.contains("no data") == true)
  }

  private func window(_ title: Substring) throws -> (from: Substring, to: Substring) {
    let days = try #require(title.firstMatch(of: /(\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)/))
    return (days.output.1, days.output.2)
  }

  @Test("a weekly summary is sent once to each channel that people read, and failures are reported")
  func sent() throws {
    let stage = try stage()
    let team = Sink { _, _ in .status(200) }
    let pager = Sink { _, _ in .status(200) }
    let broken = Sink { _, _ in .status(404) }
    try stage.write(
      """
      alerts:
        channels:
          team: { kind: webhook, url: "\(team.address)", allow-private: true }
          pager: { kind: alertmanager, url: "\(pager.address)", allow-private: true }
          gone: { kind: webhook, url: "\(broken.address)", allow-private: true }
        routes:
          - app: com.example.*
            channels: [team, pager]
      """, to: "plumb.yaml")
    let path = stage.folder + "/plumb.yaml"
    let told = try stage.run("digest", "--send", "--config", path)
    #expect(told.ending == .exit(0) && told.output.isEmpty, "\(told)")
    #expect(team.requests.count == 1 && pager.requests.isEmpty)
    let body = try JSON(String(decoding: try #require(team.requests.first).body, as: UTF8.self))
    #expect(body["event"].text == "digest" && body["app"].text == Payload.app)
    let failed = try stage.run("digest", "--send", "--channel", "gone", "--config", path)
    #expect(failed.ending == .exit(1) && failed.errors.contains("channel gone: "), "\(failed)")
    #expect(try stage.run("digest", "--send", "--channel", "pager", "--config", path).ending == .exit(64))
    #expect(try stage.run("digest", "--channel", "team", "--config", path).ending == .exit(64))
  }
}
