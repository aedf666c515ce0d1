public import Storage
import Telemetry
import Wording

/// An incident as text for a terminal.
public enum IncidentText {
  /// One line: `3f2a9c01d4e5b678  open since 2026-11-20T10:00:00Z  com.example.shop: p90 launch.first_draw is …`
  public static func line(_ incident: Incident, app: String?) -> String {
    let name = app ?? "all apps"
    return OneLine.text("\(incident.id)  \(state(incident))  \(name): \(incident.evidence.summary)")
  }

  /// The line of the incident, then one indented line for each fact.
  public static func lines(_ incident: Incident, app: String?) -> [String] {
    var facts = [Incident.Fact("Rule", incident.key.rule.rawValue), Incident.Fact("About", incident.key.title)]
    facts.append(Incident.Fact("Severity", incident.severity.rawValue))
    facts.append(Incident.Fact("Last look", "\(incident.evaluated.iso), \(incident.condition.rawValue)"))
    if let announced = incident.announced { facts.append(Incident.Fact("Last told", announced.iso)) }
    if incident.closed == nil, let since = incident.recoveringSince {
      let events = Decimal.grouped(incident.recoveredCount)
      facts.append(Incident.Fact("Better since", "\(since.iso), \(events) new events"))
    }
    if let reason = incident.closedBecause { facts.append(Incident.Fact("Ended because", reason)) }
    let advice = incident.evidence.advice.map { ["  Check: \($0)"] } ?? []
    return [line(incident, app: app)]
      + (facts + incident.evidence.facts).map { OneLine.text("  \($0.name): \($0.value)") } + advice
  }

  private static func state(_ incident: Incident) -> String {
    guard let closed = incident.closed else { return "open since \(incident.opened.iso)" }
    return "\(incident.state.rawValue) \(closed.iso), open since \(incident.opened.iso)"
  }
}
