import Testing
import TestSupport

@testable import Core
@testable import Outbound
@testable import Storage

/// The channels that people read: nothing that pages gets a digest.
@Suite("Formats of a digest")
struct DigestFormatTests {
  @Test("the formats of a digest equal the reviewed files")
  func golden() throws {
    let digest = Sample.digest
    try Golden.expect(PlainTextFormat.render(digest), "digest-message.txt")
    for (name, body) in [
      ("webhook", WebhookFormat.render(digest)), ("slack", SlackFormat.render(digest)),
      ("discord", DiscordFormat.render(digest)), ("teams", TeamsFormat.render(digest)),
    ] {
      try Golden.expect(try indented(body), "digest-\(name).json")
    }
  }

  @Test("an email digest equals the reviewed file, header by header and in both bodies")
  func mail() throws {
    let from = try #require(MailAddress("plumb@example.com"))
    let to = ["oncall@example.com", "mobile@example.org"].compactMap(MailAddress.init)
    let read = try Mail.read(MailFormat.render(Sample.digest, from: from, to: to))
    let headers = read.headers.map { "\($0[0]): \($0[1])" }.joined(separator: "\n")
    try Golden.expect("\(headers)\n\n\(try #require(read.plain))", "digest-mail.txt")
    try Golden.expect(try #require(read.html).replacing("><", with: ">\n<") + "\n", "digest-mail.html")
    #expect(read.plain == PlainTextFormat.render(Sample.digest))
    #expect(read.defects.isEmpty)
  }
}
