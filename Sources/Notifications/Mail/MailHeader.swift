internal import Foundation

/// Values of header fields that cannot become anything else.
enum MailHeader {
  /// Unstructured text of any characters as encoded words (RFC 2047), a line each, so that no line is longer than 76
  /// characters. Text of plain ASCII that fits stays as it is.
  static func text(_ text: String, after name: String) -> String {
    let line = text.oneLine
    let isPlain = line.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !line.utf8.contains(UInt8(ascii: "="))
    if isPlain, name.utf8.count + 2 + line.utf8.count <= 76 { return line }
    // "=?UTF-8?B?" and "?=" and 40 bytes in base64 are 68 characters.
    return pieces(line, 40).map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
  }

  /// `Fri, 20 Nov 2026 09:15:00 +0000` (RFC 5322 §3.3)
  static func date(_ date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let time = [parts.hour, parts.minute, parts.second].map { two($0 ?? 0) }.joined(separator: ":")
    let day = days[((parts.weekday ?? 1) + 6) % 7]
    return
      "\(day), \(two(parts.day ?? 1)) \(months[((parts.month ?? 1) + 11) % 12]) \(parts.year ?? 1970) \(time) +0000"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Whole scalars, at most `size` bytes each: an encoded word must not end within a character.
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
