import Core
import Storage

/// Decides which incident a finding belongs to: usually that of its release or theme.
///
/// One break can be certain for the whole app, or for an older release, before it is certain for the release that was
/// just rolled out. What breaks within a day after an incident about the same vitals opened joins it. After a day it is
/// a break of its own: an app can be over its budget for months, and a bad release must then still be reported at once.
struct IncidentAssignment {
  private var byBreach: [BreachKey: IncidentKey] = [:]
  private var open: Set<IncidentKey> = []
  /// The incidents that opened within a day, by what is broken.
  private var recent: [BrokenPart: IncidentKey] = [:]

  /// `incidents`: the open incidents, at most one with a given key.
  init(_ incidents: [Incident], now: Timestamp) {
    for incident in incidents.sorted(by: { ($0.opened, $0.id) < ($1.opened, $1.id) }) {
      open.insert(incident.key)
      let isRecent = now.milliseconds - incident.opened.milliseconds < Finding.day
      for breach in incident.breaches where breach.closed != nil && byBreach[breach.key] == nil {
        byBreach[breach.key] = incident.key
      }
      for breach in incident.open {
        byBreach[breach.key] = incident.key
        guard isRecent, let part = BrokenPart(breach.key, breach.severity), recent[part] == nil else { continue }
        recent[part] = incident.key
      }
    }
  }

  func incident(of finding: Finding) -> IncidentKey {
    // An open breach stays where it is, and one that returns goes where it was.
    if let known = byBreach[finding.key] { return known }
    let own = finding.key.incident
    guard !open.contains(own), let part = BrokenPart(finding.key, finding.severity) else { return own }
    return recent[part] ?? own
  }
}

/// The vitals that a breach is about, in an environment. Breaches of the same part, of a release and of the whole app,
/// can be one break.
struct BrokenPart: Hashable {
  private let environment: String
  private let vitals: String

  /// Nil for rules that are not about vitals, and for rollouts, whose keys do not name any.
  init?(_ key: BreachKey, _ severity: Severity) {
    guard let slice = key.slice else { return nil }
    environment = slice.environment
    switch key.rule {
    case .newGroup, .groupSpike:
      // Hang groups are warnings.
      guard severity == .critical else { return nil }
      vitals = Self.crashes
    case .budget, .warning, .burn, .regression:
      guard let metric = key.metric else { return nil }
      // The same crashes are counted by sessions, users and user-days.
      vitals = metric.contains("crash_free") ? Self.crashes : metric
    case .missing, .rollout, .stale, .digest, .quarantine, .evaluation, .space: return nil
    }
  }

  private static let crashes = "crash_free"
}
