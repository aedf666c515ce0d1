package import Storage

extension IncidentKey {
  /// The title of an incident in a list: `p90 launch.first_draw <= 2 s`, `burn rate`.
  package var title: String {
    switch rule {
    case .budget: subject
    case .warning: "\(subject) (warning level)"
    case .missing: "\(subject) (missing data)"
    case .burn: "burn rate"
    case .regression: "\(subject) against the release before"
    case .newGroup: "new group \(subject)"
    case .groupSpike: "spike of group \(subject)"
    case .stale: "payloads that stopped"
    case .digest: "the digest"
    case .quarantine: "records set aside"
    case .evaluation: "judging"
    }
  }
}
