package import Core
package import Storage

extension Breach {
  /// The breach's evidence in one sentence for pages, with limits as `budget ≤ 2 s`. Messages use the recorded sentence
  /// unchanged.
  package var readableSummary: String {
    switch key.rule {
    case .budget, .warning, .missing, .regression:
      evidence.summary.replacing(" <= ", with: " ≤ ").replacing(" >= ", with: " ≥ ")
    case .burn, .newGroup, .groupSpike, .stale, .digest, .quarantine, .evaluation, .space:
      evidence.summary
    }
  }
}

extension BreachKey {
  /// The name of a breach, with budgets written as in their file: `p90 launch.first_draw <= 2 s`, `burn rate`.
  var title: String {
    switch rule {
    case .budget: subject
    case .warning: "\(subject) (warning level)"
    case .missing: "\(subject) (missing data)"
    case .burn: "burn rate"
    case .regression: "\(subject) against the previous release"
    case .newGroup: "new group \(subject)"
    case .groupSpike: "spike of group \(subject)"
    case .stale: "no payloads"
    case .digest: "digest"
    case .quarantine: "quarantined records"
    case .space: "disk space"
    case .evaluation: "evaluation"
    }
  }

  /// The kind of a breach in a few words, for rows: `New crash`, `Budget`.
  package func label(_ severity: Severity) -> String {
    switch rule {
    case .budget: "Budget"
    case .warning: "Warning level"
    case .missing: "Too little data"
    case .burn: "Error budget"
    case .regression: "Worse than before"
    // Groups of hangs are warnings.
    case .newGroup: severity == .critical ? "New crash" : "New hang"
    case .groupSpike: severity == .critical ? "More crashes" : "More hangs"
    case .stale: "No data"
    case .digest: "Digest"
    case .quarantine: "Quarantined"
    case .space: "Disk"
    case .evaluation: "Not judged"
    }
  }
}

extension Timestamp {
  /// The time to the minute, `2026-11-20 09:15`; only the day at midnight, because times known only by day are stored
  /// as midnight.
  package var dayOrMinute: String {
    milliseconds % 86_400_000 == 0 ? day().iso : "\(iso.prefix(10)) \(iso.dropFirst(11).prefix(5))"
  }
}

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
