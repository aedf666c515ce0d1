import Storage

/// The real fault of a scenario and the incidents that report it. Every other incident is a false alarm. Times are days
/// since the start.
struct Fault: Sendable {
  /// The rules that may report the fault.
  var rules: Set<BreachKey.Rule>
  /// The time from the real breach of a limit until it has left every window.
  var days: Range<Double>
  /// The affected metrics; empty if no measurement is wrong.
  var metrics: Set<String> = []
  /// The only affected release; nil for all of them.
  var release: Int?
  /// The time when the app as a whole also exceeds the limit; nil if it does from the first day.
  var app: Range<Double>?
  /// The cause of the crashes; nil if there is no single cause.
  var cause: Int?

  /// Whether an incident that opened on `day` reports the fault.
  func explains(_ key: BreachKey, on day: Double) -> Bool {
    guard rules.contains(key.rule) else { return false }
    if let group = key.group, group != cause.map(SimulatedGroups.name) { return false }
    if let named = key.metric, !metrics.contains(named) { return false }
    guard let named = Self.release(of: key) else { return (app ?? days).contains(day) }
    return days.contains(day) && (release.map(Scenario.name) ?? named) == named
  }

  /// The subject contains a group's release.
  private static func release(of key: BreachKey) -> String? {
    key.group == nil ? key.slice?.release : key.subject.split(separator: " ").last.map(String.init)
  }
}
