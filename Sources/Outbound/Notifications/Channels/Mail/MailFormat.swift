import Core
import Foundation
public import Storage

/// Formats a message as mail (RFC 5322, RFC 2045) with the same content in plain text and in HTML. Equal messages give
/// equal bytes.
///
/// libcurl's `curl_mime_*` is not used, because it builds a body only during a transfer and with a random boundary:
/// tests would need a relay, and a retry would differ from the first attempt.
public enum MailFormat {
  /// The complete mail that is sent after DATA, with CR LF line endings.
  ///
  /// The text and HTML parts are base64, so that no line is too long, begins with a dot or looks like a boundary.
  static func render(_ message: AlertMessage, from: MailAddress, to: [MailAddress]) -> [UInt8] {
    let mark = MessageDigest.sha256Hex(message.identifier).prefix(32)
    let boundary = "plumb-\(mark)"
    var lines = headers(message, from: from, to: to, mark: String(mark))
    lines += ["Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"", ""]
    lines += ["--\(boundary)"] + part("plain", Array(PlainTextFormat.render(message).utf8))
    lines += ["--\(boundary)"] + part("html", MailPage.render(message))
    lines += ["--\(boundary)--", ""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// The HTML part of the mail, as a complete page.
  public static func page(_ message: AlertMessage) -> [UInt8] { MailPage.render(message) }

  private static func headers(
    _ message: AlertMessage, from: MailAddress, to: [MailAddress], mark: String
  ) -> [String] {
    var lines = [
      "From: Plumb <\(from)>", "To: " + to.map { "<\($0)>" }.joined(separator: ",\r\n "),
      "Subject: " + MailHeader.text(message.title.oneLine.cut(250), after: "Subject"),
      "Date: " + MailHeader.date(message.time), "Message-ID: <\(mark)@\(from.domain)>",
    ]
    // With a common reference, mail programs show the beginning and the end of an incident as one conversation.
    if let incident = message.items.first?.incident {
      lines.append("References: <incident-\(MessageDigest.sha256Hex(incident).prefix(32))@\(from.domain)>")
    }
    // RFC 3834: prevents automatic replies, such as out-of-office replies.
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

/// Encodes header fields, so that no text can end its line or add a field.
enum MailHeader {
  /// A header's text as encoded words (RFC 2047), one per line of at most 76 characters. Plain ASCII that fits in the
  /// line is not encoded. `name`: the header's name before the text.
  static func text(_ text: String, after name: String) -> String {
    let line = text.oneLine
    let isPlain = line.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !line.utf8.contains(UInt8(ascii: "="))
    if isPlain, name.utf8.count + 2 + line.utf8.count <= 76 { return line }
    // "=?UTF-8?B?" and "?=" and 40 bytes in base64 are 68 characters.
    return pieces(line, 40).map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
  }

  /// A date for a header: `Fri, 20 Nov 2026 09:15:00 +0000` (RFC 5322 §3.3).
  static func date(_ time: Timestamp) -> String {
    let day = time.day()
    let (year, month, date) = day.civil
    // 1970-01-01 was a Thursday.
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let name = days[((day.number % 7) + 7) % 7]
    let clock = time.iso.dropFirst(time.iso.count - 9).prefix(8)
    return "\(name), \(date < 10 ? "0" : "")\(date) \(months[month - 1]) \(year) \(clock) +0000"
  }

  /// Splits text between characters into pieces of at most `size` bytes of UTF-8, because an encoded word must not end
  /// within a character.
  private static func pieces(_ text: String, _ size: Int) -> [String] {
    var pieces = [String.UnicodeScalarView()]
    var count = 0
    for scalar in text.unicodeScalars {
      if count + scalar.byteCount > size {
        pieces.append(String.UnicodeScalarView())
        count = 0
      }
      pieces[pieces.count - 1].append(scalar)
      count += scalar.byteCount
    }
    return pieces.map { String($0) }
  }
}
