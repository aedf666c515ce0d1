extension IncidentKey {
  /// `launch.first_draw` of `p90 launch.first_draw <= 2 s`; nil where the subject names none.
  public var metric: String? {
    switch rule {
    case .burn: return "sessions.crash_free"
    case .regression: return subject
    case .newGroup, .groupSpike, .stale, .digest, .quarantine, .evaluation: return nil
    case .budget, .warning, .missing:
      let words = subject.split(separator: " ").prefix(2)
      let isStatistic = words.first.map { $0 == "mean" || Int($0.dropFirst()) != nil && $0.first == "p" } ?? false
      return (isStatistic ? words.last : words.first).map(String.init)
    }
  }

  /// The group of diagnostics it is about; nil where it is about none.
  public var group: String? {
    switch rule {
    case .newGroup, .groupSpike: subject.split(separator: " ").first.map(String.init)
    case .budget, .warning, .missing, .burn, .regression, .stale, .digest, .quarantine, .evaluation: nil
    }
  }
}
