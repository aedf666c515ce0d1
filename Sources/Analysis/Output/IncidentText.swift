import Core
public import Storage

/// An incident as text for a terminal.
public enum IncidentText {
  /// One line: `3f2a9c01d4e5b678  open since 2026-11-20  com.example.shop: 4.3.0: a new crash in Cart.pay() …`
  public static func line(_ incident: Incident, app: String?) -> String {
    let name = app ?? "all apps"
    return OneLineText.text("\(incident.id)  \(state(incident))  \(name): \(incident.title)")
  }

  /// The incident's line, then its breaches, each with indented lines for its facts.
  public static func lines(_ incident: Incident, app: String?) -> [String] {
    var facts = [
      Detail("Severity", incident.severity.rawValue), Detail("Noticed", incident.opened.iso),
      Detail("Last evaluated", incident.evaluated.iso),
    ]
    if let announced = incident.announced { facts.append(Detail("Last notified", announced.iso)) }
    if let reason = incident.closedBecause { facts.append(Detail("Ended because", reason)) }
    return [line(incident, app: app)] + facts.map { "  \(text($0))" } + incident.ranked.flatMap(lines)
  }

  private static func lines(_ breach: Breach) -> [String] {
    var facts = [
      Detail("Rule", "\(breach.key.rule.rawValue), \(breach.condition.rawValue)"),
      Detail("Subject", breach.key.title), Detail("Since", breach.since.dayOrMinute),
    ]
    if breach.closed == nil, let since = breach.recoveringSince {
      let events = Decimal.grouped(breach.recoveredCount)
      facts.append(Detail("Recovering since", "\(since.iso), over \(events) new events"))
    }
    if let closed = breach.closed { facts.append(Detail("Ended", "\(closed.iso) \(breach.closedBecause ?? "")")) }
    let advice = breach.evidence.advice.map { ["    Check: \($0)"] } ?? []
    let name = breach.key.label(breach.severity)
    return [OneLineText.text("  \(name): \(breach.evidence.summary)")]
      + (facts + breach.evidence.facts).map { "    \(text($0))" } + advice
  }

  private static func text(_ fact: Detail) -> String { OneLineText.text("\(fact.name): \(fact.value)") }

  private static func state(_ incident: Incident) -> String {
    guard let closed = incident.closed else { return "open since \(incident.since.dayOrMinute)" }
    return "\(incident.state.rawValue) \(closed.iso), open since \(incident.since.dayOrMinute)"
  }
}

/// A message as lines for a terminal or a mail from cron.
public enum AlertMessageText {
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
    let since = item.event == .digest ? [] : ["Since: \(item.since.utcDayOrMinute)"]
    return since + item.facts.map { "\($0.name): \($0.value)" }
      + [item.advice.map { "Check: \($0)" }, item.link].compactMap { $0 }
      + ["Incident: \(item.incident)"]
  }
}
