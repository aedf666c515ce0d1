import Core
import Storage

/// The state machine of incidents: turns findings and open incidents into transitions. It is pure and reads neither a
/// clock nor a store.
///
/// Breaches open and close independently. An incident is open while at least one of its breaches is open:
///
///     open ──(within or better, each for long enough, on new events)──→ resolved
///       │└─(broken again)→ open, with reminders
///       └──(release superseded, budget removed)──→ retired
///
/// An open breach without a finding stays open, because missing data do not prove recovery.
struct IncidentStateMachine: Sendable {
  var app: AppID
  var thresholds: AlertThresholds
  var silences: [Silence] = []

  /// The incidents that change, and the event to report for each.
  ///
  /// - Parameters:
  ///   - open: the open incidents. Incidents with the same key, which older versions stored, are merged.
  ///   - findings: the findings of all rules; without new data, only of rules that depend on the current time.
  ///   - retired: returns the reason why a breach no longer applies; nil if it still applies.
  func transitions(
    of open: [Incident], findings: [Finding], retired: (Breach) -> String? = { _ in nil }, now: Timestamp
  ) -> [Transition] {
    var known: Set<BreachKey> = []
    let (kept, absorbed) = Self.merged(open, now)
    let assignment = IncidentAssignment(kept, now: now)
    let byIncident = Dictionary(grouping: findings.filter { known.insert($0.key).inserted }) {
      assignment.incident(of: $0)
    }
    let changed = kept.compactMap { incident -> Transition? in
      let next = step(incident, byIncident[incident.key] ?? [], retired, now)
      return next.event == nil && open.contains(next.incident) ? nil : next
    }
    let openKeys = Set(kept.map(\.key))
    var fresh: Set<IncidentKey> = []
    let opened = findings.map(assignment.incident).filter { !openKeys.contains($0) && fresh.insert($0).inserted }
      .compactMap { self.opened($0, byIncident[$0] ?? [], now) }
    return absorbed + changed + opened
  }

  /// Merges incidents with the same key. The first announced one stays open and takes over the breaches of the others.
  private static func merged(_ open: [Incident], _ now: Timestamp) -> (kept: [Incident], absorbed: [Transition]) {
    var (kept, absorbed): ([Incident], [Transition]) = ([], [])
    let announcedFirst = open.filter { $0.announced != nil } + open.filter { $0.announced == nil }
    for incident in announcedFirst {
      guard let index = kept.firstIndex(where: { $0.key == incident.key }) else {
        kept.append(incident)
        continue
      }
      let keys = Set(kept[index].breaches.map(\.key))
      kept[index].breaches += incident.breaches.filter { !keys.contains($0.key) }
      kept[index].opened = min(kept[index].opened, incident.opened)
      var end = incident
      end.close(.retired, "Merged into incident \(kept[index].id).", now)
      absorbed.append(Transition(end, incident.announced == nil ? nil : .retired))
    }
    return (kept, absorbed)
  }

  /// A new incident for the broken findings; nil if there are none.
  private func opened(_ key: IncidentKey, _ findings: [Finding], _ now: Timestamp) -> Transition? {
    let broken = findings.filter { $0.condition == .broken }
    guard !broken.isEmpty else { return nil }
    var incident = Incident(
      id: IncidentIdentifier.of(key, app: app, opened: now), app: app, key: key, opened: now, evaluated: now,
      breaches: broken.map { Breach($0, now) })
    incident.title = IncidentTitle.text(key, incident.breaches)
    return announced(incident, before: nil, now)
  }

  private func step(
    _ incident: Incident, _ findings: [Finding], _ retired: (Breach) -> String?, _ now: Timestamp
  ) -> Transition {
    let byKey = Dictionary(findings.map { ($0.key, $0) }) { first, _ in first }
    let open = Set(incident.open.map(\.key))
    var next = incident
    next.breaches = incident.breaches.map { breach in
      guard breach.closed == nil else { return breach }
      if byKey[breach.key] != nil { next.evaluated = now }
      return self.next(breach, byKey[breach.key], retired(breach), now)
    }
    for finding in findings where finding.condition == .broken && !open.contains(finding.key) {
      // A breach that reopens replaces its closed entry. Its end was not reported while the incident was open, so
      // neither is its return, unless it is more severe.
      let past = next.breaches.first { $0.key == finding.key }
      next.breaches.removeAll { $0.key == finding.key }
      var breach = Breach(finding, now)
      if let past, past.severity >= finding.severity { breach.announced = past.announced }
      next.breaches.append(breach)
    }
    next.title = IncidentTitle.text(next.key, next.breaches)
    return next.open.isEmpty ? ended(next, now) : announced(next, before: incident, now)
  }

  private func next(_ breach: Breach, _ finding: Finding?, _ retired: String?, _ now: Timestamp) -> Breach {
    var next = breach
    if let reason = retired {
      next.close(.retired, reason, now)
      return next
    }
    guard let finding else { return breach }
    next.condition = finding.condition
    next.evidence = finding.evidence
    // A recovering breach keeps its original headline; the facts show the current value.
    if finding.condition == .within || finding.condition == .recovering
      || breach.key.rule == .rollout && finding.condition == .unclear
    {
      next.evidence.headline = breach.evidence.headline
    }
    if breach.severity != .critical { next.severity = finding.severity }
    recover(&next, finding, now)
    next.lastCount = finding.count
    if finding.condition == .within, finding.settling == 0 {
      next.close(.resolved, "Recovery confirmed.", now)
    } else if finding.condition == .within, let since = next.recoveringSince,
      now.milliseconds - since.milliseconds >= finding.settling, next.recoveredCount > 0
    {
      next.close(.resolved, "Recovery since \(since.iso) confirmed by later data.", now)
    } else if let since = next.recoveringSince, now.milliseconds - since.milliseconds >= finding.patience,
      next.recoveredCount >= finding.enough
    {
      next.close(.resolved, "Recovering since \(since.iso), on new data.", now)
    }
    return next
  }

  /// Tracks how long the breach has looked better or been confirmed to be over, and on how many new events. The events
  /// come from a moving window that also loses old ones, so only increases of their number count.
  private func recover(_ breach: inout Breach, _ finding: Finding, _ now: Timestamp) {
    guard finding.condition == .recovering || (finding.condition == .within && finding.settling > 0) else {
      breach.recoveringSince = nil
      breach.recoveredCount = 0
      return
    }
    if breach.recoveringSince == nil {
      breach.recoveringSince = now
    } else {
      let (sum, overflow) = breach.recoveredCount.addingReportingOverflow(max(0, finding.count - breach.lastCount))
      breach.recoveredCount = overflow ? .max : sum
    }
  }

  /// Closes an incident whose breaches are all closed. It is resolved if one of the last was resolved, otherwise
  /// retired.
  private func ended(_ incident: Incident, _ now: Timestamp) -> Transition {
    let last = incident.breaches.filter { $0.closed == now }
    let isResolved = last.contains { $0.state == .resolved }
    let reasons = last.filter { $0.state == (isResolved ? .resolved : .retired) }.compactMap(\.closedBecause)
    var next = incident
    next.close(isResolved ? .resolved : .retired, reasons.min() ?? "", now)
    // The end of an incident is reported only if its opening was. It is then reported even during a silence, because
    // people wait for it.
    guard incident.announced != nil else { return Transition(next) }
    return Transition(next, isResolved ? .resolved : .retired)
  }

  /// Decides what to report about an open incident: breaches that are new or whose silence has ended, a higher
  /// severity, or a reminder that is due. Silenced breaches are not reported.
  private func announced(_ incident: Incident, before: Incident?, _ now: Timestamp) -> Transition {
    let audible = incident.breaches.filter { breach in
      breach.closed == nil && (breach.condition == .broken || breach.condition == .unclear)
        && !silences.contains { $0.covers(breach, of: incident, at: now) }
    }
    let news = audible.filter { $0.announced == nil || isWorse($0, before) }
    let isEscalation = isEscalation(news, of: incident)
    let isDue = incident.announced.map { now.milliseconds - $0.milliseconds >= Finding.day } ?? true
    let event: AlertMessage.Event
    if !news.isEmpty, incident.announced == nil {
      // The only breach that was reported may have ended and broken again.
      event = before?.announced == nil ? .opened : .worsened
    } else if !news.isEmpty, isEscalation || isDue {
      event = .worsened
    } else if let told = incident.announced, let reminder = thresholds.reminder, !audible.isEmpty,
      now.milliseconds - told.milliseconds >= reminder
    {
      event = .stillBroken
    } else {
      return Transition(incident)
    }
    var next = incident
    let told = Set(audible.map(\.key))
    for index in next.breaches.indices
    where next.breaches[index].closed == nil && told.contains(next.breaches[index].key) {
      next.breaches[index].announced = now
    }
    let isWorsened = event == .worsened
    return Transition(
      next, event, news: isWorsened ? Set(news.map(\.key)) : [], isEscalation: isWorsened && isEscalation)
  }

  /// Whether more breaches of a reported incident change what to do: they make it critical, or the rollout should now
  /// halt. Otherwise they wait until the last message is a day old, because one break shows in more and more vitals.
  private func isEscalation(_ news: [Breach], of incident: Incident) -> Bool {
    let new = Set(news.map(\.key))
    let told = incident.breaches.filter { $0.announced != nil && !new.contains($0.key) }
    if news.contains(where: { $0.key.rule == .rollout && $0.announced == nil }) { return true }
    return told.allSatisfy { $0.severity != .critical } && news.contains { $0.severity == .critical }
  }

  private func isWorse(_ breach: Breach, _ before: Incident?) -> Bool {
    let old = before?.open.first { $0.key == breach.key }
    return old.map { $0.severity != .critical && breach.severity == .critical } ?? false
  }
}

/// A changed incident and the event to report about it.
struct Transition: Sendable, Hashable {
  /// The incident after the change.
  var incident: Incident
  /// The event to report; nil if only the evidence changed or a silence covers the incident.
  var event: AlertMessage.Event?
  /// The new breaches of an incident that has already been reported.
  var news: Set<BreachKey>
  /// Whether the new breaches change what to do: the incident became critical, or the rollout should now halt.
  var isEscalation: Bool

  init(
    _ incident: Incident, _ event: AlertMessage.Event? = nil, news: Set<BreachKey> = [], isEscalation: Bool = false
  ) {
    self.incident = incident
    self.event = event
    self.news = news
    self.isEscalation = isEscalation
  }
}

extension Incident {
  fileprivate mutating func close(_ state: State, _ reason: String, _ now: Timestamp) {
    self.state = state
    closed = now
    closedBecause = reason
    for index in breaches.indices where breaches[index].closed == nil { breaches[index].close(state, reason, now) }
  }
}

extension Breach {
  fileprivate init(_ finding: Finding, _ now: Timestamp) {
    self.init(
      key: finding.key, severity: finding.severity, since: min(finding.since ?? now, now), opened: now,
      lastCount: finding.count, evidence: finding.evidence)
  }

  fileprivate mutating func close(_ state: Incident.State, _ reason: String, _ now: Timestamp) {
    self.state = state
    closed = now
    closedBecause = reason
  }
}

/// Decides which incident a finding belongs to: usually that of its release or theme.
///
/// One break can be certain for the whole app, or for an older release, before it is certain for the release that was
/// just rolled out. What breaks within a day after an incident about the same vitals opened joins it. After a day it is
/// a break of its own: an app can be over its budget for months, and a bad release must then still be reported at once.
struct IncidentAssignment {
  private var byBreach: [BreachKey: IncidentKey] = [:]
  private var open: Set<IncidentKey> = []
  /// The incidents that opened within a day, by what is broken.
  private var recent: [BrokenPart: IncidentKey] = [:]

  /// `incidents`: the open incidents, at most one with a given key.
  init(_ incidents: [Incident], now: Timestamp) {
    for incident in incidents.sorted(by: { ($0.opened, $0.id) < ($1.opened, $1.id) }) {
      open.insert(incident.key)
      let isRecent = now.milliseconds - incident.opened.milliseconds < Finding.day
      for breach in incident.breaches where breach.closed != nil && byBreach[breach.key] == nil {
        byBreach[breach.key] = incident.key
      }
      for breach in incident.open {
        byBreach[breach.key] = incident.key
        guard isRecent, let part = BrokenPart(breach.key, breach.severity), recent[part] == nil else { continue }
        recent[part] = incident.key
      }
    }
  }

  func incident(of finding: Finding) -> IncidentKey {
    // An open breach stays where it is, and one that returns goes where it was.
    if let known = byBreach[finding.key] { return known }
    let own = finding.key.incident
    guard !open.contains(own), let part = BrokenPart(finding.key, finding.severity) else { return own }
    return recent[part] ?? own
  }
}

/// The vitals that a breach is about, in an environment. Breaches of the same part, of a release and of the whole app,
/// can be one break.
struct BrokenPart: Hashable {
  private let environment: String
  private let vitals: String

  /// Nil for rules that are not about vitals, and for rollouts, whose keys do not name any.
  init?(_ key: BreachKey, _ severity: Severity) {
    guard let slice = key.slice else { return nil }
    environment = slice.environment
    switch key.rule {
    case .newGroup, .groupSpike:
      // Hang groups are warnings.
      guard severity == .critical else { return nil }
      vitals = Self.crashes
    case .budget, .warning, .burn, .regression:
      guard let metric = key.metric else { return nil }
      // The same crashes are counted by sessions, users and user-days.
      vitals = metric.contains("crash_free") ? Self.crashes : metric
    case .missing, .rollout, .stale, .digest, .quarantine, .evaluation, .space: return nil
    }
  }

  private static let crashes = "crash_free"
}
