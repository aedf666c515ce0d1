public import Notifications
public import Storage
public import Telemetry

/// Findings and what is open → what changes. Pure: no clock, no store.
///
///     open ──(within; or better for long enough, on new events)──→ resolved
///       │└─(certain again)→ open, reminded of from time to time
///       └──(release superseded, budget removed)──→ retired
///
/// What no finding speaks of stays as it is: data that stopped proves nothing.
public struct IncidentMachine: Sendable {
  public var app: AppID
  public var policy: AlertPolicy
  public var silences: [Silence]

  public init(app: AppID, policy: AlertPolicy, silences: [Silence] = []) {
    self.app = app
    self.policy = policy
    self.silences = silences
  }

  /// What changes. Without new data there are findings of the clock's rules only, and time can remind. `retired` says why
  /// nobody asks about an incident any more.
  public func transitions(
    of open: [Incident], findings: [Finding], retired: (Incident) -> String? = { _ in nil }, now: Timestamp
  ) -> [Transition] {
    let byKey = Dictionary(findings.map { ($0.key, $0) }) { first, _ in first }
    let known = Set(open.map(\.key))
    let changed = open.compactMap { incident -> Transition? in
      let next = step(incident, byKey[incident.key], retired(incident), now)
      return next.event == nil && next.incident == incident ? nil : next
    }
    let fresh = findings.filter { byKey[$0.key] == $0 && $0.condition == .broken && !known.contains($0.key) }
    return changed + fresh.map { told(opened($0, now), .opened, now) }
  }

  private func opened(_ finding: Finding, _ now: Timestamp) -> Incident {
    Incident(
      id: IncidentName.of(finding.key, app: app, opened: now), app: app, key: finding.key,
      severity: finding.severity, opened: now, evaluated: now, lastCount: finding.count, evidence: finding.evidence)
  }

  private func step(
    _ incident: Incident, _ finding: Finding?, _ retired: String?, _ now: Timestamp
  ) -> Transition {
    if let reason = retired { return closed(incident, .retired, reason, now) }
    guard let finding else { return reminded(incident, now) }
    var next = incident
    next.evaluated = now
    next.condition = finding.condition
    next.evidence = finding.evidence
    if incident.severity != .critical { next.severity = finding.severity }
    recover(&next, finding, now)
    next.lastCount = finding.count
    if finding.condition == .within { return closed(next, .resolved, "Proven to be over.", now) }
    if let since = next.recoveringSince, now.milliseconds - since.milliseconds >= finding.patience,
      next.recoveredCount >= finding.enough
    {
      return closed(next, .resolved, "Better since \(since.iso), on new data.", now)
    }
    let isWorse = incident.severity != .critical && next.severity == .critical
    if isWorse, incident.announced != nil { return told(next, .stillBroken, now) }
    return reminded(next, now)
  }

  /// Counts what came since it looks better. A window that moves on loses old events: only gains are new ones.
  private func recover(_ incident: inout Incident, _ finding: Finding, _ now: Timestamp) {
    guard finding.condition == .recovering else {
      incident.recoveringSince = nil
      incident.recoveredCount = 0
      return
    }
    if incident.recoveringSince == nil {
      incident.recoveringSince = now
    } else {
      let (sum, overflow) = incident.recoveredCount.addingReportingOverflow(max(0, finding.count - incident.lastCount))
      incident.recoveredCount = overflow ? .max : sum
    }
  }

  /// Told of for the first time when a silence has ended; again when it is time and it is still broken.
  private func reminded(_ incident: Incident, _ now: Timestamp) -> Transition {
    guard let announced = incident.announced else {
      return incident.condition == .broken || incident.condition == .unclear
        ? told(incident, .opened, now) : Transition(incident)
    }
    guard let reminder = policy.reminder, now.milliseconds - announced.milliseconds >= reminder,
      incident.condition == .broken || incident.condition == .unclear
    else { return Transition(incident) }
    return told(incident, .stillBroken, now)
  }

  private func closed(_ incident: Incident, _ state: Incident.State, _ reason: String, _ now: Timestamp) -> Transition {
    var next = incident
    next.state = state
    next.closed = now
    next.closedBecause = reason
    // Nobody has to hear the end of what nobody heard of. An end is told during a silence, too: whoever was told waits
    // for it.
    guard incident.announced != nil else { return Transition(next) }
    next.announced = now
    return Transition(next, state == .retired ? .retired : .resolved)
  }

  private func told(_ incident: Incident, _ event: AlertMessage.Event, _ now: Timestamp) -> Transition {
    guard !silences.contains(where: { $0.covers(incident, at: now) }) else { return Transition(incident) }
    var next = incident
    next.announced = now
    return Transition(next, event)
  }
}

/// A change of an incident, and whether people hear of it.
public struct Transition: Sendable, Hashable {
  /// As it is after the change.
  public var incident: Incident
  /// Nil when nobody is told: only the evidence changed, or it is silenced.
  public var event: AlertMessage.Event?

  public init(_ incident: Incident, _ event: AlertMessage.Event? = nil) {
    self.incident = incident
    self.event = event
  }
}

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
