internal import Foundation

/// A message as mail (RFC 5322, MIME): the same in plain text and in HTML.
public enum MailFormat {
  /// The whole mail, as it follows DATA, lines ending in CR LF.
  ///
  /// Both bodies are base64: no line of theirs can be too long, begin with a dot or look like a boundary.
  public static func render(_ message: AlertMessage, from: MailAddress, to: [MailAddress]) -> [UInt8] {
    let mark = Hashing.hex(message.identifier).prefix(32)
    let boundary = "plumb-\(mark)"
    var lines = headers(message, from: from, to: to, mark: String(mark))
    lines += ["Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"", ""]
    lines += ["--\(boundary)"] + part("plain", Array(TextFormat.render(message).utf8))
    lines += ["--\(boundary)"] + part("html", MailPage.render(message))
    lines += ["--\(boundary)--", ""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// The HTML part by itself, as a page.
  public static func page(_ message: AlertMessage) -> [UInt8] { MailPage.render(message) }

  private static func headers(
    _ message: AlertMessage, from: MailAddress, to: [MailAddress], mark: String
  ) -> [String] {
    var lines = [
      "From: Plumb <\(from)>", "To: " + to.map { "<\($0)>" }.joined(separator: ",\r\n "),
      "Subject: " + MailHeader.text(message.title.oneLine.cut(250), after: "Subject"),
      "Date: " + MailHeader.date(message.time), "Message-ID: <\(mark)@\(from.domain)>",
    ]
    // Programs show mail with a common reference as one conversation: what an incident began with and how it ended.
    if let incident = message.items.first?.incident {
      lines.append("References: <incident-\(Hashing.hex(incident).prefix(32))@\(from.domain)>")
    }
    // RFC 3834: nobody's absence is to answer it.
    return lines + ["Auto-Submitted: auto-generated", "MIME-Version: 1.0"]
  }

  private static func part(_ kind: String, _ bytes: [UInt8]) -> [String] {
    ["Content-Type: text/\(kind); charset=utf-8", "Content-Transfer-Encoding: base64", ""]
      + Data(bytes).base64EncodedString(options: [
        .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
      ])
      .components(separatedBy: "\r\n") + [""]
  }
}
