import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage

@Suite("Formats of a message")
struct FormatTests {
  @Test("the formats of a message equal the reviewed files")
  func golden() throws {
    let message = Sample.message
    try Golden.expect(PlainTextFormat.render(message), "message.txt")
    for (name, body) in [
      ("webhook", WebhookFormat.render(message)), ("slack", SlackFormat.render(message)),
      ("discord", DiscordFormat.render(message)), ("teams", TeamsFormat.render(message)),
      ("alertmanager", AlertmanagerFormat.render(message, labels: ["team": "mobile"])),
    ] {
      try Golden.expect(try indented(body), "\(name).json")
    }
    let events = try PagerDutyFormat.render(message, routingKey: "R0UTINGKEY").map(indented)
    try Golden.expect(events.joined(), "pagerduty.json")
  }

  @Test("an email equals the reviewed file, header by header and in both bodies")
  func mail() throws {
    let from = try #require(MailAddress("plumb@example.com"))
    let to = ["oncall@example.com", "mobile@example.org"].compactMap(MailAddress.init)
    let mail = MailFormat.render(Sample.message, from: from, to: to)
    let read = try Mail.read(mail)
    let headers = read.headers.map { "\($0[0]): \($0[1])" }.joined(separator: "\n")
    try Golden.expect("\(headers)\n\n\(try #require(read.plain))", "mail.txt")
    try Golden.expect(try #require(read.html).replacing("><", with: ">\n<") + "\n", "mail.html")
    #expect(read.plain == PlainTextFormat.render(Sample.message))
    #expect(read.defects.isEmpty)
  }

  @Test("PagerDuty gets one event per incident, and an end is only a resolve with the same key")
  func pagerDuty() throws {
    let bodies = PagerDutyFormat.render(Sample.message, routingKey: "key")
    #expect(bodies.count == 2)
    let end = try #require(try JSONSerialization.jsonObject(with: Data(bodies[1])) as? [String: String])
    #expect(end == ["routing_key": "key", "event_action": "resolve", "dedup_key": Sample.ended.incident])
    var again = Sample.message
    again.items[0].event = .retired
    let retired = try #require(
      try JSONSerialization.jsonObject(with: Data(PagerDutyFormat.render(again, routingKey: "key")[0]))
        as? [String: String])
    #expect(retired["event_action"] == "resolve" && retired["dedup_key"] == Sample.item.incident)
  }

  @Test("an alert of Alertmanager keeps its labels through all changes of its incident")
  func labels() throws {
    func alerts(_ change: (inout AlertMessage) -> Void) throws -> [[String: Any]] {
      var message = Sample.message
      change(&message)
      let json = try JSONSerialization.jsonObject(with: Data(AlertmanagerFormat.render(message)))
      return try #require(json as? [[String: Any]])
    }
    let before = try alerts { _ in }
    let after = try alerts {
      $0.severity = .info
      $0.release = "5.0"
      $0.event = .resolved
      $0.items[0].event = .resolved
      $0.time.milliseconds += 3_600_000
    }
    #expect(before[0]["labels"] as? [String: String] == after[0]["labels"] as? [String: String])
    #expect(before[0]["startsAt"] as? String == "2026-11-19T00:00:00Z")
    #expect(before[0]["endsAt"] as? String == "2026-12-20T09:15:00Z")
    #expect(after[0]["endsAt"] as? String == "2026-11-20T10:10:00Z")
    // Alertmanager refuses an alert that ends before it starts.
    let short = try alerts {
      $0.event = .resolved
      $0.items[0].event = .resolved
      $0.items[0].since = Timestamp(milliseconds: $0.time.milliseconds - 60_000)
    }
    #expect(short[0]["startsAt"] as? String == "2026-11-20T09:14:00Z")
    #expect(short[0]["endsAt"] as? String == "2026-11-20T09:14:00Z")
  }

  @Test("a webhook contains the bytes of the texts, whatever they are")
  func webhook() throws {
    let text = "e\u{301} \"quoted\" \\ \u{1F469}\u{200D}\u{1F680} </script>"
    let read = try texts(WebhookFormat.render(Sample.hostile(text)))
    #expect(read.first { $0.path == "app" }?.text == text)
    #expect(read.first { $0.path == "items.facts.value" }?.text == text)
  }
}
