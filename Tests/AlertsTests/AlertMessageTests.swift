import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("Messages of alerts")
struct AlertMessageTests {
  private static let now = Timestamp(milliseconds: 1_795_176_000_000)

  private static func incident(
    _ id: String, _ key: BreachKey, _ summary: String, severity: Severity = .critical, hoursAgo: Int64 = 0
  ) -> Incident {
    Incident.of(
      key, id: id, severity: severity, opened: Timestamp(milliseconds: now.milliseconds - hoursAgo * 3_600_000),
      evidence: Evidence(
        summary: summary,
        facts: [
          Detail("Evidence", "47 of 4,210 sessions crashed, of at least 41 users"),
          Detail("Previous release", "4.1.0 had 99.82 % and 4.2.0 98.88 % from 2026-11-14 to 2026-11-20"),
        ], advice: "List this release's crashes."))
  }

  private static let crash = BreachKey(.budget, "sessions.crash_free >= 99.5%", slice: Slice(release: "4.2.0"))
  private static let launch = BreachKey(.warning, "p90 launch.first_draw <= 2 s", slice: Slice(release: "4.2.0"))
  private static let summary =
    "sessions.crash_free is 98.88 % (98.25–99.36 % at 99.9 %, n 4,210), budget >= 99.5 % [production, 4.2.0]"

  private static let links = AlertLinks(
    overview: { "https://plumb.example.com/apps/\($0 ?? "")/alerts" },
    incident: { incident, app in
      "https://plumb.example.com/apps/\(app ?? "")/metrics/\(incident.lead?.key.metric ?? "")?release=4.2.0"
    })

  @Test("a message about one incident has a title with every fact, and then the evidence")
  func one() throws {
    let message = try #require(
      AlertMessage(
        [Transition(Self.incident("a1", Self.crash, Self.summary), .opened)], app: "com.example.shop",
        links: Self.links, now: Self.now, decision: 1))
    #expect(
      AlertMessageText.lines(message) == [
        "BROKEN com.example.shop: " + Self.summary,
        "  Since: 2026-11-20 12:00 UTC", "  Noticed: 2026-11-20T12:00:00Z",
        "  Evidence: 47 of 4,210 sessions crashed, of at least 41 users",
        "  Previous release: 4.1.0 had 99.82 % and 4.2.0 98.88 % from 2026-11-14 to 2026-11-20",
        "  Check: List this release's crashes.",
        "  https://plumb.example.com/apps/com.example.shop/metrics/sessions.crash_free?release=4.2.0",
        "  Incident: a1",
      ])
    #expect(message.event == .opened && message.severity == .critical && message.release == "4.2.0")
    #expect(message.environment == "production")
    #expect(message.link == "https://plumb.example.com/apps/com.example.shop/alerts")
  }

  @Test("ten budgets of a release are one item with a row each, and other breaches are another item")
  func grouped() throws {
    var release = Self.incident("a1", Self.launch, "p90 launch.first_draw is 1.8 s", severity: .warning)
    for number in 0..<13 {
      let key = BreachKey(.budget, "p90 custom.m\(number) <= 1 s", slice: Slice(release: "4.2.0"))
      release.breaches += Self.incident("", key, "p90 custom.m\(number) is 2.00 s").breaches
    }
    release.title = "4.2.0: p90 custom.m0 is 2 s; twelve more budgets broken, one warning level passed"
    let ended = Transition(Self.incident("r", BreachKey(.stale), "no payload for 26 h", hoursAgo: 26), .resolved)
    let message = try #require(
      AlertMessage(
        [ended, Transition(release, .opened)], app: "com.example.shop", links: Self.links, now: Self.now, decision: 1))
    #expect(message.items.map(\.incident) == ["a1", "r"])
    #expect(message.title == "BROKEN com.example.shop: \(release.title); also data (resolved)")
    #expect(message.release == nil && message.severity == .critical)
    let rows = message.items[0].facts.filter { $0.name == "Budget" }
    #expect(rows.map(\.value) == (0..<13).map { "p90 custom.m\($0) is 2.00 s" }.sorted().prefix(12).map { $0 })
    #expect(message.items[0].facts.contains(.init("And", "2 more")))
  }

  @Test("a message about a later breach has it in its first line, and the others below")
  func worsened() throws {
    var incident = Self.incident("a1", Self.crash, Self.summary, hoursAgo: 5)
    incident.breaches += Self.incident("", Self.launch, "p90 launch.first_draw is 1.8 s", severity: .warning).breaches
    incident.title = "4.2.0: crash-free sessions; one warning level passed"
    let change = Transition(incident, .worsened, news: [Self.launch])
    let message = try #require(AlertMessage([change], app: "a.b", links: .none, now: Self.now, decision: 1))
    #expect(
      message.title == "MORE BROKEN a.b: 4.2.0: p90 launch.first_draw is 1.8 s; known: \(Self.summary)"
        && message.event == .worsened)
    #expect(message.items[0].facts[1...2].map(\.name) == ["Now also: Warning level", "Budget"])
  }

  @Test(
    "a message that changes what to do begins with the new word and its reason",
    arguments: [
      (BreachKey.Rule.rollout, Severity.critical, "HALT"), (.budget, .critical, "BROKEN"),
      (.newGroup, .critical, "NEW CAUSE"),
    ])
  func escalated(rule: BreachKey.Rule, severity: Severity, word: String) throws {
    // Ranks before a budget that is not about crashes, but only warns.
    let old = BreachKey(.regression, "sessions.crash_free", slice: Slice(release: "4.2.0"))
    var incident = Self.incident("a1", old, "crash-free sessions is worse", severity: .warning, hoursAgo: 5)
    let subject = rule == .newGroup ? "c1 4.2.0" : rule == .budget ? "p90 launch.first_draw <= 2 s" : ""
    let new = BreachKey(rule, subject, slice: Slice(release: rule == .newGroup ? nil : "4.2.0"))
    incident.breaches += Self.incident("", new, "what is new", severity: severity).breaches
    let change = Transition(incident, .worsened, news: [new], isEscalation: true)
    let message = try #require(AlertMessage([change], app: "a.b", links: .none, now: Self.now, decision: 1))
    #expect(message.title == "\(word) a.b: 4.2.0: what is new; known: crash-free sessions is worse")
  }

  @Test("reminders and ends are named as such, and an end states its reason")
  func later() throws {
    var ended = Self.incident("a1", Self.crash, Self.summary, hoursAgo: 30)
    let reminder = try #require(
      AlertMessage([Transition(ended, .stillBroken)], app: "a.b", links: .none, now: Self.now, decision: 1))
    #expect(reminder.title == "STILL BROKEN a.b: " + Self.summary)
    #expect(
      AlertMessageText.lines(reminder)[1...2] == [
        "  Since: 2026-11-19 06:00 UTC", "  Noticed: 2026-11-19T06:00:00Z, open for 30\u{A0}h",
      ])
    ended.state = .resolved
    ended.closed = Self.now
    ended.closedBecause = "Recovery confirmed."
    let end = try #require(
      AlertMessage([Transition(ended, .resolved)], app: "a.b", links: .none, now: Self.now, decision: 1))
    #expect(end.title == "RESOLVED a.b: " + Self.summary)
    #expect(AlertMessageText.lines(end)[2] == "  Why: Recovery confirmed.")
    #expect(end.identifier != reminder.identifier)
  }

  @Test("transitions without an event cause no alert message")
  func nothing() {
    #expect(
      AlertMessage(
        [Transition(Self.incident("a", Self.crash, "x"))], app: "a.b", links: .none, now: Self.now, decision: 1) == nil)
  }

  @Test("each hostile name stays on one line of a message")
  func hostile() throws {
    let hostile = "a\n\u{202E}b\u{2028}\"\\<b>\0"
    let incident = Self.incident("a1", BreachKey(.budget, hostile, slice: Slice(release: hostile)), hostile)
    let message = try #require(
      AlertMessage([Transition(incident, .opened)], app: "a.b", links: .none, now: Self.now, decision: 1))
    #expect(message.title == "BROKEN a.b: ab\"\\<b>")
    #expect(AlertMessageText.lines(message).allSatisfy { !$0.contains("\n") })
  }

  @Test("two evaluations at one instant with the same changes give messages with different identifiers")
  func identifiers() throws {
    let change = Transition(Self.incident("a", Self.crash, "x"), .worsened)
    let messages = try [1, 2, 2].map { decision in
      try #require(AlertMessage([change], app: "a.b", links: .none, now: Self.now, decision: decision))
    }
    #expect(messages[0].identifier != messages[1].identifier)
    #expect(messages[1].identifier == messages[2].identifier)
  }
}
