import Storage
import Telemetry

extension Silence {
  /// Whether nobody is told of an incident now. Everything that it names must fit.
  func covers(_ incident: Incident, at now: Timestamp) -> Bool {
    guard isActive(at: now), app == nil || app == incident.app else { return false }
    if let release, !Self.isCalled(release, incident.key.slice?.release) { return false }
    guard let rule else { return true }
    return rule == incident.key.rule.rawValue || rule == incident.key.subject
      || rule == incident.key.metric
  }

  /// A version means all its builds.
  private static func isCalled(_ wanted: String, _ title: String?) -> Bool {
    guard let title else { return false }
    return title == wanted || title.hasPrefix(wanted + " (")
  }
}
