public import Notifications
public import Storage
public import Telemetry

/// The state machine of incidents: turns findings and open incidents into transitions. Pure: it reads no clock and no
/// store.
///
///     open ──(within; or better for long enough, on new events)──→ resolved
///       │└─(broken again)→ open, with reminders
///       └──(release superseded, budget removed)──→ retired
///
/// An open incident without a finding stays open, because missing data prove nothing.
public struct IncidentStateMachine: Sendable {
  public var app: AppID
  public var thresholds: AlertThresholds
  public var silences: [Silence]

  public init(app: AppID, thresholds: AlertThresholds, silences: [Silence] = []) {
    self.app = app
    self.thresholds = thresholds
    self.silences = silences
  }

  /// The incidents that change, and the event to report for each.
  ///
  /// - Parameters:
  ///   - findings: the findings of all rules; without new data only those of rules that depend on the current time.
  ///   - retired: returns the reason why an incident no longer applies; nil while it does.
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
    return changed + fresh.map { announced(opened($0, now), .opened, now) }
  }

  private func opened(_ finding: Finding, _ now: Timestamp) -> Incident {
    Incident(
      id: IncidentIdentifier.of(finding.key, app: app, opened: now), app: app, key: finding.key,
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
    if isWorse, incident.announced != nil { return announced(next, .stillBroken, now) }
    return reminded(next, now)
  }

  /// Tracks how long the incident has looked better, and on how many new events. The events come from a moving window,
  /// which also loses old ones, so only increases of their number count.
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

  /// Announces an incident whose silence has ended, or repeats the announcement when the reminder is due.
  private func reminded(_ incident: Incident, _ now: Timestamp) -> Transition {
    guard let announced = incident.announced else {
      return incident.condition == .broken || incident.condition == .unclear
        ? self.announced(incident, .opened, now) : Transition(incident)
    }
    guard let reminder = thresholds.reminder, now.milliseconds - announced.milliseconds >= reminder,
      incident.condition == .broken || incident.condition == .unclear
    else { return Transition(incident) }
    return self.announced(incident, .stillBroken, now)
  }

  private func closed(_ incident: Incident, _ state: Incident.State, _ reason: String, _ now: Timestamp) -> Transition {
    var next = incident
    next.state = state
    next.closed = now
    next.closedBecause = reason
    // The end of an incident that was never announced is not reported. Otherwise it is reported even during a silence,
    // because people wait for it.
    guard incident.announced != nil else { return Transition(next) }
    next.announced = now
    return Transition(next, state == .retired ? .retired : .resolved)
  }

  /// A transition that reports `event`, unless a silence covers the incident.
  private func announced(_ incident: Incident, _ event: AlertMessage.Event, _ now: Timestamp) -> Transition {
    guard !silences.contains(where: { $0.covers(incident, at: now) }) else { return Transition(incident) }
    var next = incident
    next.announced = now
    return Transition(next, event)
  }
}

/// A change of an incident, and the event to report about it.
public struct Transition: Sendable, Hashable {
  /// The incident after the change.
  public var incident: Incident
  /// The event to report; nil if only the evidence changed or a silence covers the incident.
  public var event: AlertMessage.Event?

  public init(_ incident: Incident, _ event: AlertMessage.Event? = nil) {
    self.incident = incident
    self.event = event
  }
}

extension Silence {
  /// Whether this silence applies to the incident at `now`. A silence may name an app, a release and a rule; all that
  /// it names must match.
  func covers(_ incident: Incident, at now: Timestamp) -> Bool {
    guard isActive(at: now), app == nil || app == incident.app else { return false }
    if let release, !Self.isRelease(release, incident.key.slice?.release) { return false }
    guard let rule else { return true }
    return rule == incident.key.rule.rawValue || rule == incident.key.subject
      || rule == incident.key.metric
  }

  /// Whether the release `title` is `wanted`, or a build of it when `wanted` is only a version.
  private static func isRelease(_ wanted: String, _ title: String?) -> Bool {
    guard let title else { return false }
    return title == wanted || title.hasPrefix(wanted + " (")
  }
}
