package import Core

/// The names of the events that a metric's n counts: sessions, launches, device-days.
package enum EventNoun {
  package static func plural(of metric: String, weight: Metric.Weight? = nil) -> String {
    if let exact = exactly[metric] { return exact }
    let family = String(metric.prefix { $0 != "." })
    let known = weight ?? Catalogue.metric(named: metric)?.weight
    return known == .deviceDay ? "device-days" : byFamily[family] ?? "values"
  }

  /// A number of events: `1 session`, `40 sessions`.
  package static func count(_ n: Int, of metric: String, weight: Metric.Weight? = nil) -> String {
    let plural = plural(of: metric, weight: weight)
    let singular = plural.utf8.suffix(4).elementsEqual("ches".utf8) ? plural.dropLast(2) : plural.dropLast()
    return "\(Decimal.grouped(n)) \(n == 1 ? String(singular) : plural)"
  }

  /// A number of additional events with its verb: `1 more session is`, `40 more sessions are`.
  static func more(_ n: Int, of metric: String) -> String {
    let words = count(n, of: metric).split(separator: " ", maxSplits: 1)
    return "\(words[0]) more \(words.dropFirst().joined()) \(n == 1 ? "is" : "are")"
  }

  /// A metric's title for use within a sentence: `Hang rate` becomes `hang rate`; `SwiftUI body` stays.
  package static func withinSentence(_ title: String) -> String {
    let isName = title.dropFirst().prefix { $0 != " " }.contains { $0.isUppercase }
    return isName ? title : title.prefix(1).lowercased() + title.dropFirst()
  }

  private static let exactly = [
    "sessions.crash_free": "sessions", "sessions.hang_free": "sessions", "users.crash_free": "users",
    "users.crash_free_daily": "user-days",
    "exits.foreground_limits": "exits", "exits.foreground_abnormal": "payloads", "hang.duration": "hangs",
    "hang.rate": "payloads", "hang.frequency": "payloads", "network.request": "requests",
    "network.response_bytes": "responses", "launch.resume": "resumes",
  ]

  private static let byFamily = ["launch": "launches"]
}
