import Foundation
import Notifications
import Storage
import Telemetry
import Testing

@testable import Alerts

@Suite("Messages of alerts")
struct AlertMessageTests {
  private static let now = Timestamp(milliseconds: 1_795_176_000_000)

  private static func incident(
    _ id: String, _ key: IncidentKey, _ summary: String, severity: Incident.Severity = .critical, hoursAgo: Int64 = 0
  ) -> Incident {
    Incident(
      id: id, app: 1, key: key, severity: severity,
      opened: Timestamp(milliseconds: now.milliseconds - hoursAgo * 3_600_000), evaluated: now,
      evidence: Incident.Evidence(
        summary: summary,
        facts: [
          Incident.Fact("Evidence", "47 of 4,210 sessions crashed, of at least 41 users"),
          Incident.Fact("Previous release", "4.1.0 had 99.82 % and 4.2.0 98.88 % from 2026-11-14 to 2026-11-20"),
        ], advice: "List this release's crashes."))
  }

  private static let crash = IncidentKey(.budget, "sessions.crash_free >= 99.5%", slice: Slice(release: "4.2.0"))
  private static let launch = IncidentKey(.warning, "p90 launch.first_draw <= 2 s", slice: Slice(release: "4.2.0"))
  private static let summary =
    "sessions.crash_free is 98.88 % (98.25–99.36 % at 99.9 %, n 4,210), budget >= 99.5 % [production, 4.2.0]"

  private static let links = AlertLinks(all: "https://plumb.example.com/alerts") { incident, app in
    "https://plumb.example.com/apps/\(app ?? "")/metrics/\(incident.key.metric ?? "")?release=4.2.0"
  }

  @Test("one incident is a title that says everything, and what it rests on")
  func one() throws {
    let message = try #require(
      AlertMessage(
        [Transition(Self.incident("a1", Self.crash, Self.summary), .opened)], app: "com.example.shop",
        links: Self.links, now: Self.now))
    #expect(
      MessageText.lines(message) == [
        "BROKEN com.example.shop: " + Self.summary,
        "  Since: 2026-11-20T12:00:00Z",
        "  Evidence: 47 of 4,210 sessions crashed, of at least 41 users",
        "  Previous release: 4.1.0 had 99.82 % and 4.2.0 98.88 % from 2026-11-14 to 2026-11-20",
        "  Check: List this release's crashes.",
        "  https://plumb.example.com/apps/com.example.shop/metrics/sessions.crash_free?release=4.2.0",
        "  Incident: a1",
      ])
    #expect(message.event == .opened && message.severity == .critical && message.release == "4.2.0")
    #expect(message.environment == "production" && message.link == message.items[0].link)
  }

  @Test("ten budgets of a release are one message, the gravest first")
  func grouped() throws {
    let others = (0..<9).map { number in
      Transition(
        Self.incident(
          "b\(number)", IncidentKey(.budget, "p90 custom.m\(number) <= 1 s", slice: Slice(release: "4.2.0")),
          "p90 custom.m\(number) is 2.00 s"), .opened)
    }
    let warned = Transition(
      Self.incident("w", Self.launch, "p90 launch.first_draw is 1.8 s", severity: .warning), .opened)
    let ended = Transition(Self.incident("r", IncidentKey(.stale), "no payload for 26 h", hoursAgo: 26), .resolved)
    let message = try #require(
      AlertMessage([ended, warned] + others, app: "com.example.shop", links: Self.links, now: Self.now))
    #expect(message.items.count == 11)
    #expect(
      message.title
        == "BROKEN com.example.shop: p90 custom.m0 is 2.00 s; also p90 custom.m1 <= 1 s of 4.2.0, "
        + "p90 custom.m2 <= 1 s of 4.2.0, p90 custom.m3 <= 1 s of 4.2.0, p90 custom.m4 <= 1 s of 4.2.0 and 6 more")
    #expect(message.items.last?.event == .resolved && message.items[9].incident == "w")
    #expect(message.link == "https://plumb.example.com/alerts")
  }

  @Test("reminders and ends say so, and an end says why")
  func later() throws {
    var ended = Self.incident("a1", Self.crash, Self.summary, hoursAgo: 30)
    let reminder = try #require(
      AlertMessage([Transition(ended, .stillBroken)], app: "a.b", links: .none, now: Self.now))
    #expect(reminder.title == "STILL BROKEN a.b: " + Self.summary)
    #expect(MessageText.lines(reminder)[1] == "  Since: 2026-11-19T06:00:00Z, for 30\u{A0}h")
    ended.state = .resolved
    ended.closed = Self.now
    ended.closedBecause = "Proven to be over."
    let end = try #require(AlertMessage([Transition(ended, .resolved)], app: "a.b", links: .none, now: Self.now))
    #expect(end.title == "RESOLVED a.b: " + Self.summary)
    #expect(MessageText.lines(end)[1] == "  Why: Proven to be over.")
    #expect(end.identifier != reminder.identifier)
  }

  @Test("nothing to tell is no message")
  func nothing() {
    #expect(
      AlertMessage([Transition(Self.incident("a", Self.crash, "x"))], app: "a.b", links: .none, now: Self.now) == nil)
  }

  @Test("a message comes back from its JSON as it was, hostile names included, and no name begins a line")
  func json() throws {
    let hostile = "a\n\u{202E}b\u{2028}\"\\<b>\0"
    let incident = Self.incident("a1", IncidentKey(.budget, hostile, slice: Slice(release: hostile)), hostile)
    let message = try #require(
      AlertMessage([Transition(incident, .opened)], app: "a.b", links: .none, now: Self.now))
    #expect(try AlertMessageJSON.decode(AlertMessageJSON.encode(message)) == message)
    #expect(message.title == "BROKEN a.b: ab\"\\<b>")
    #expect(MessageText.lines(message).allSatisfy { !$0.contains("\n") })
    #expect(throws: DecodingError.self) { try AlertMessageJSON.decode(Array("{}".utf8)) }
  }
}
