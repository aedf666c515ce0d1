internal import Foundation

extension Date {
  /// `2026-11-20 09:15 UTC`
  var utcMinute: String {
    let text = ISO8601Format(Date.ISO8601FormatStyle(dateSeparator: .dash, timeZone: .gmt))
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }

  /// `2026-11-20T09:15:00Z`
  var iso8601: String { ISO8601Format(Date.ISO8601FormatStyle(timeZone: .gmt)) }
}
