public import Health
import Notifications
public import Storage
public import Telemetry

/// One look at the apps: read, decide, write down with the messages. `plumb check` and `plumb serve` run the same.
///
/// Any number of processes may look at once: each decision is written against the state it was made on, and is made
/// anew when another process was faster.
public struct AlertRound: Sendable {
  private let control: any IncidentStore & SilenceDirectory
  private let rules: IncidentRules
  private let links: AlertLinks

  public init(control: any IncidentStore & SilenceDirectory, policy: AlertPolicy, links: AlertLinks) {
    self.control = control
    rules = IncidentRules(policy: policy)
    self.links = links
  }

  /// What a look at one app gave.
  public struct Outcome: Sendable {
    /// What was read; nil when no new data came, or it could not be read.
    public var checks: IncidentChecks?
    /// Why the app could not be judged.
    public var failure: (any Error)?
  }

  /// Looks at one app. `groups` tells causes of crashes and hangs apart; nil where nobody looks at them. `health` is asked
  /// for anew at each attempt: a budget file that cannot be read is an incident, too.
  /// Throws what the control database throws.
  public func look(
    at app: App, now: Timestamp, groups: ((HealthReader) -> GroupReader)? = nil, health: () throws -> HealthReader
  ) throws -> Outcome {
    for _ in 0..<Self.attempts {
      let state = try control.alertState(of: app.id)
      let reading = Evaluation(of: app, state, rules, now, groups, health)
      let machine = IncidentMachine(app: app.id, policy: rules.policy, silences: try control.silences(at: now))
      let transitions = machine.transitions(
        of: state.open, findings: reading.findings, retired: reading.retired, now: now)
      let decision = AlertDecision(
        incidents: transitions.map(\.incident), messages: try messages(transitions, app.bundleID, now),
        digestedThrough: reading.digestedThrough, rules: reading.fingerprint)
      if try write(decision, state, of: app.id) {
        return Outcome(checks: reading.checks, failure: reading.failure)
      }
    }
    throw ControlError.invalid("Other processes kept changing the incidents of \(app.bundleID).")
  }

  /// Looks at what concerns all apps: records that wait for the digest; nil of both when nothing waits.
  public func lookAtFolder(
    waiting: Int64?, oldest: Timestamp?, setAside: Int = 0, now: Timestamp
  ) throws {
    for _ in 0..<Self.attempts {
      let state = try control.alertState(of: Incident.folder)
      let machine = IncidentMachine(
        app: Incident.folder, policy: rules.policy, silences: try control.silences(at: now))
      let transitions = machine.transitions(
        of: state.open,
        findings: [
          rules.digest(waiting: waiting, oldest: oldest, now: now),
          rules.quarantine(setAside),
        ], now: now)
      let decision = AlertDecision(
        incidents: transitions.map(\.incident), messages: try messages(transitions, nil, now),
        digestedThrough: state.digestedThrough, rules: state.rules)
      if try write(decision, state, of: Incident.folder) { return }
    }
    throw ControlError.invalid("Other processes kept changing the incidents of the folder.")
  }

  /// Drops what nobody asks for any more: incidents after 400 days, messages after 30.
  public func forget(now: Timestamp) throws {
    try control.forgetAlerts(
      closedBefore: Timestamp(milliseconds: now.milliseconds - 400 * Finding.day),
      toldBefore: Timestamp(milliseconds: now.milliseconds - 30 * Finding.day))
  }

  private static let attempts = 20

  private func write(_ decision: AlertDecision, _ state: AlertState, of app: AppID) throws -> Bool {
    let isNews = decision.digestedThrough != state.digestedThrough || decision.rules != state.rules
    if decision.incidents.isEmpty, !isNews { return true }
    return try control.decide(decision, of: app, version: state.version)
  }

  private func messages(_ transitions: [Transition], _ app: String?, _ now: Timestamp) throws -> [StoredMessage] {
    guard let message = AlertMessage(transitions, app: app, links: links, now: now) else { return [] }
    return [StoredMessage(id: message.identifier, created: now, body: try AlertMessageJSON.encode(message))]
  }
}

/// What is known of an app in one look: everything when new data came, else what the clock says.
struct Evaluation {
  private(set) var findings: [Finding] = []
  private(set) var checks: IncidentChecks?
  private(set) var failure: (any Error)?
  private(set) var digestedThrough: Int64
  private(set) var fingerprint: String
  private let rules: IncidentRules

  init(
    of app: App, _ state: AlertState, _ rules: IncidentRules, _ now: Timestamp,
    _ groups: ((HealthReader) -> GroupReader)?, _ health: () throws -> HealthReader
  ) {
    self.rules = rules
    digestedThrough = state.digestedThrough
    fingerprint = state.rules
    do {
      // Once more: what fails for a moment wakes nobody.
      do { try read(app, state, now, groups, health()) } catch { try read(app, state, now, groups, health()) }
      findings.append(rules.evaluation(nil))
    } catch {
      failure = error
      findings = [rules.evaluation("\(error)")]
    }
  }

  private mutating func read(
    _ app: App, _ state: AlertState, _ now: Timestamp, _ groups: ((HealthReader) -> GroupReader)?,
    _ health: HealthReader
  ) throws {
    let through = try health.digestedThrough(app)
    let fingerprint = IncidentName.hash([rules.policy.fingerprint] + health.budgetTexts)
    guard through != state.digestedThrough || fingerprint != state.rules else {
      findings = [rules.stale(try health.freshness(app, now: now), now: now)].compactMap { $0 }
      return
    }
    let watching = Set(state.open.compactMap { $0.key.slice?.release })
    var checks = try health.incidentChecks(app, watching: watching, now: now)
    checks.watchedGroups = try groups?(health).watch(app, now: now)
    findings =
      rules.findings(checks, open: Set(state.open.map(\.key)))
      + [rules.stale(checks.freshness, now: now)].compactMap { $0 }
    self.checks = checks
    // The sequence of what was read; what came since is looked at next time.
    digestedThrough = through
    self.fingerprint = fingerprint
  }

  /// Only new data retires.
  func retired(_ incident: Incident) -> String? { checks.flatMap { rules.retired(incident, $0) } }
}
