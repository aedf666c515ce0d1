package import Core
package import Storage

extension Breach {
  /// The breach's evidence in one sentence for pages, with limits as `budget ≤ 2 s`. Messages use the recorded sentence
  /// unchanged.
  package var readableSummary: String {
    switch key.rule {
    case .budget, .warning, .missing, .regression:
      evidence.summary.replacing(" <= ", with: " ≤ ").replacing(" >= ", with: " ≥ ")
    case .burn, .rollout, .newGroup, .groupSpike, .stale, .digest, .quarantine, .evaluation, .space:
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
    case .rollout: "rollout"
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
    case .rollout: "Rollout"
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
