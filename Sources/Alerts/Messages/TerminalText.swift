public import Notifications
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

/// A message as lines for a terminal or a mail from cron.
public enum MessageText {
  /// The title, then the evidence of each incident, indented.
  public static func lines(_ message: AlertMessage) -> [String] {
    let isAlone = message.items.count == 1
    let lines = message.items.flatMap { item -> [String] in
      let head = isAlone ? [] : ["  \(item.event.rawValue.replacing("_", with: " ")): \(item.summary)"]
      return head + details(item).map { (isAlone ? "  " : "    ") + $0 }
    }
    return [message.title] + lines
  }

  private static func details(_ item: AlertMessage.Item) -> [String] {
    item.facts.map { "\($0.name): \($0.value)" } + [item.advice.map { "Check: \($0)" }, item.link].compactMap { $0 }
      + ["Incident: \(item.incident)"]
  }
}

/// Removes control characters and marks of writing direction from text that comes from devices.
enum OneLine {
  static func text(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isControl(scalar) { scalars.append(scalar) }
    return String(scalars)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || (0x2028...0x202e).contains(scalar.value)
      || (0x2066...0x2069).contains(scalar.value)
  }
}
