import Foundation
import Testing

@testable import Core
@testable import Outbound
@testable import Storage

@Suite("Hostile texts")
struct HostileTextTests {
  private static let hostile = [
    "<!channel> <@U123> <https://evil.example|click> &amp;",
    "@everyone @here <@&1> [a](https://evil.example) **b** `c`",
    "first\r\nBcc: victim@example.com\r\n\r\nbody", "line\u{2028}break\u{85}and\u{0B}more\u{0}",
    "\u{202E}gpj.exe\u{2066}",
    "<img src=x onerror=alert(1)> \" ' --></td>", String(repeating: "x", count: 10_000),
    String(repeating: "&<>*_", count: 3000), String(repeating: "\u{1F9D1}\u{200D}\u{1F680}", count: 2000),
    "a" + String(repeating: "\u{301}", count: 12_000), "", "\u{300}<!channel>", ".", "-- \n--plumb", "=?UTF-8?B?QQ==?=",
  ]

  @Test(
    "hostile texts in messages stay one line within Slack's limits, and never become a mention or link",
    arguments: hostile.indices)
  func slack(index: Int) throws {
    let text = Self.hostile[index]
    let limits = ["blocks.text.text": 3000, "blocks.elements.text": 3000, "text": 3000]
    for (path, value) in try texts(SlackFormat.render(Sample.hostile(text, items: 40))) {
      guard path.hasSuffix("text"), value != "plain_text", value != "mrkdwn" else { continue }
      #expect(!value.isEmpty)
      #expect(value.utf16.count <= limits[path, default: 3000])
      #expect(!value.unicodeScalars.contains("<") && !value.unicodeScalars.contains(">"), "\(path)")
      // Each ampersand begins one of Slack's three entities, whole.
      for piece in value.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).dropFirst() {
        let rest = String(decoding: piece, as: UTF8.self)
        #expect(["amp;", "lt;", "gt;"].contains { rest.utf8.starts(with: $0.utf8) })
      }
    }
    let json = try JSONSerialization.jsonObject(with: Data(SlackFormat.render(Sample.hostile(text, items: 40))))
    let blocks = try #require((json as? [String: Any])?["blocks"] as? [[String: Any]])
    #expect(blocks.count <= 50)
    let header = try #require((blocks[0]["text"] as? [String: Any])?["text"] as? String)
    #expect(blocks[0]["type"] as? String == "header" && header.utf16.count <= 150)
    #expect(!header.unicodeScalars.contains { CharacterSet.newlines.contains($0) })
  }

  @Test("hostile texts in messages stay text for Discord, notify no user, and fit", arguments: hostile.indices)
  func discord(index: Int) throws {
    let text = Self.hostile[index]
    let body = DiscordFormat.render(Sample.hostile(text, items: 40))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    #expect((json["allowed_mentions"] as? [String: [String]]) == ["parse": []])
    let embed = try #require((json["embeds"] as? [[String: Any]])?.first)
    let fields = try #require(embed["fields"] as? [[String: Any]])
    var total = (embed["title"] as? String ?? "").utf16.count
    total += ((embed["footer"] as? [String: String])?["text"] ?? "").utf16.count
    #expect((1...256).contains((embed["title"] as? String ?? "").utf16.count) && fields.count <= 25)
    for field in fields {
      let (name, value) = (field["name"] as? String ?? "", field["value"] as? String ?? "")
      #expect((1...256).contains(name.utf16.count) && (1...1024).contains(value.utf16.count))
      total += name.utf16.count + value.utf16.count
      for text in [name, value] { #expect(Self.isEscaped(text), "\(text.prefix(100))") }
    }
    #expect(total <= 6000)
    #expect(fields.last?["name"] as? String == "And \(40 - (fields.count - 1)) more")
  }

  /// Whether a backslash stands in front of everything that Markdown could read.
  private static func isEscaped(_ text: String) -> Bool {
    var isNext = false
    for scalar in text.unicodeScalars {
      if isNext {
        isNext = false
      } else if scalar == "\\" {
        isNext = true
      } else if "*_~`|<>[]@#".unicodeScalars.contains(scalar) {
        return false
      }
    }
    return !isNext
  }

  @Test(
    "hostile texts in messages are text runs of an Adaptive Card, and the whole stays under 28 KB",
    arguments: hostile.indices)
  func teams(index: Int) throws {
    let text = Self.hostile[index]
    let body = TeamsFormat.render(Sample.hostile(text, items: 40))
    #expect(body.count < 28_000)
    let json = try JSONSerialization.jsonObject(with: Data(body))
    func walk(_ value: Any) {
      if let list = value as? [Any] { list.forEach(walk) }
      guard let object = value as? [String: Any] else { return }
      #expect(!["TextBlock", "FactSet"].contains(object["type"] as? String), "these know Markdown")
      if let text = object["text"] as? String {
        #expect(!text.unicodeScalars.contains { CharacterSet.newlines.contains($0) } && text.utf16.count <= 1010)
      }
      object.values.forEach(walk)
    }
    walk(json)
  }

  @Test("hostile texts in messages fit PagerDuty and Alertmanager", arguments: hostile.indices)
  func events(index: Int) throws {
    let text = Self.hostile[index]
    for body in PagerDutyFormat.render(Sample.hostile(text), routingKey: "key") {
      let texts = try texts(body)
      let summary = try #require(texts.first { $0.path == "payload.summary" }?.text)
      #expect(summary.utf16.count <= 1024 && !summary.unicodeScalars.contains("\n"))
      #expect(try #require(texts.first { $0.path == "dedup_key" }?.text).utf8.count <= 255)
      #expect(body.count < 512 * 1024)
    }
    for (path, text) in try texts(AlertmanagerFormat.render(Sample.hostile(text))) {
      #expect(path == "annotations.description" || !text.unicodeScalars.contains("\n"))
    }
  }

  @Test("hostile texts in messages never begin a line in plain text", arguments: hostile.indices)
  func plain(index: Int) {
    let text = Self.hostile[index]
    let lines = PlainTextFormat.render(Sample.hostile(text)).unicodeScalars.split(
      separator: "\n", omittingEmptySubsequences: false
    ).map { String($0) }
    // Title, context, an empty line, the item, since, one fact, the advice, one bar, and the end.
    #expect(lines.count == 9)
    #expect(
      lines.allSatisfy {
        !$0.unicodeScalars.contains {
          CharacterSet.controlCharacters.contains($0) && $0.value != 0x200D && $0.value != 0x200C
        }
      })
    #expect(lines.allSatisfy { $0.utf16.count <= 2300 })
  }

  @Test("hostile texts in messages add no header, part or markup to an email", arguments: hostile.indices)
  func mail(index: Int) throws {
    let text = Self.hostile[index]
    let address = try #require(MailAddress("plumb@example.com"))
    let bytes = MailFormat.render(Sample.hostile(text), from: address, to: [address])
    for line in String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n") {
      #expect(line.utf8.count <= 78 && line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(line)")
    }
    let read = try Mail.read(bytes)
    #expect(
      read.headers.map { $0[0] } == [
        "From", "To", "Subject", "Date", "Message-ID", "References", "Auto-Submitted", "MIME-Version", "Content-Type",
      ])
    #expect(read.parts == ["text/plain", "text/html"] && read.defects.isEmpty)
    let subject = try #require(read.headers.first { $0[0] == "Subject" })[1]
    #expect(!subject.contains("\n") && subject.utf16.count <= 250)
    if text.utf8.count < 200, !text.unicodeScalars.contains(where: { CharacterSet.controlCharacters.contains($0) }) {
      let words = { (text: String) in text.split(whereSeparator: \.isWhitespace) }
      #expect(words(subject) == words(text))
    }
    let html = try #require(read.html)
    #expect(!html.contains("<img") && !html.contains("href=\"\(text)"))
  }

  @Test("links in messages are only for the web, and cannot end early")
  func links() throws {
    for link in ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "HTTPS", " https://a.example", ""] {
      #expect(try texts(WebhookFormat.render(Sample.hostile(link))).allSatisfy { $0.path != "link" }, "\(link)")
    }
    let link = "https://a.example/>|x [y](z)\u{301}\"'"
    #expect(
      try texts(WebhookFormat.render(Sample.hostile(link))).first { $0.path == "link" }?.text
        == "https://a.example/%3E%7Cx%20%5By%5D%28z%29%CC%81%22%27")
  }

  @Test("hostile texts in messages are cut with an ellipsis at the limit")
  func ellipsis() throws {
    func title(_ count: Int) throws -> String {
      var message = Sample.message
      message.title = String(repeating: "t", count: count)
      let body = try JSONSerialization.jsonObject(with: Data(SlackFormat.render(message))) as? [String: Any]
      let header = try #require((body?["blocks"] as? [[String: Any]])?.first)
      return try #require((header["text"] as? [String: Any])?["text"] as? String)
    }
    #expect(try title(150) == String(repeating: "t", count: 150))
    #expect(try title(151) == String(repeating: "t", count: 149) + "…")
  }
}
