import Storage

/// What is really wrong in a scenario, and which incidents tell of it: every other one is a false alarm. Times are days
/// since the start.
struct Fault: Sendable {
  /// Rules that may rightly speak of it.
  var rules: Set<BreachKey.Rule>
  /// From the moment a limit is really passed until nothing of it is left in any window.
  var days: Range<Double>
  /// The metrics that are wrong; none when nothing is measured wrong.
  var metrics: Set<String> = []
  /// The only release that has it; nil for all of them.
  var release: Int?
  /// When the app as a whole is beyond the limit, too; nil when that is from the first day on.
  var app: Range<Double>?
  /// The cause of the crashes; nil when no single one is to blame.
  var cause: Int?

  /// Whether an incident that opened on `day` tells of it.
  func explains(_ key: BreachKey, on day: Double) -> Bool {
    guard rules.contains(key.rule) else { return false }
    if let group = key.group, group != cause.map(SimulatedGroups.name) { return false }
    if let named = key.metric, !metrics.contains(named) { return false }
    guard let named = Self.release(of: key) else { return (app ?? days).contains(day) }
    return days.contains(day) && (release.map(Scenario.name) ?? named) == named
  }

  /// A group's release stands in the subject.
  private static func release(of key: BreachKey) -> String? {
    key.group == nil ? key.slice?.release : key.subject.split(separator: " ").last.map(String.init)
  }
}
