public import Core
public import Storage

/// Evaluates apps: reads their metrics, applies the alert rules, and stores changed incidents with their messages. Used
/// by `plumb check` and `plumb serve`.
///
/// Several processes may evaluate at the same time. A decision is stored only if no other process has changed the
/// incidents since they were read; otherwise the evaluation is repeated.
public struct AlertEvaluator: Sendable {
  private let control: any IncidentStore & SilenceDirectory
  public let rules: IncidentRules
  private let links: AlertLinks

  public init(control: any IncidentStore & SilenceDirectory, thresholds: AlertThresholds, links: AlertLinks) {
    self.control = control
    rules = IncidentRules(thresholds: thresholds)
    self.links = links
  }

  /// The result of evaluating one app.
  public struct Outcome: Sendable {
    /// The metrics that were read; nil if there were no new data or reading failed.
    var input: AlertRuleInput?
    /// Why the app could not be evaluated; nil if it was.
    public var failure: (any Error)?
  }

  /// Evaluates one app. Throws only errors of the control database; metrics that cannot be read open an incident.
  ///
  /// - Parameters:
  ///   - groups: returns the reader of crash and hang groups; nil to skip the rules about groups.
  ///   - health: returns a new reader of the app's metrics for each attempt. Throws, for example, if the budget file is
  ///     invalid.
  public func evaluate(
    _ app: App, now: Timestamp, groups: ((HealthReader) -> GroupReader)? = nil, health: () throws -> HealthReader
  ) throws -> Outcome {
    var outcome = Outcome()
    try change(app.id, app.bundleID, now) { state in
      let past = try control.incidents(of: app.id, closedAfter: EndedBreaches.start(now))
      let ended = EndedBreaches(of: past, now: now)
      let evaluation = AppEvaluation(of: app, state, ended, rules, now, groups, health)
      outcome = Outcome(input: evaluation.input, failure: evaluation.failure)
      state.digestedThrough = evaluation.digestedThrough
      state.rules = evaluation.fingerprint
      return (evaluation.findings, evaluation.retired)
    }
    return outcome
  }

  /// Evaluates the rules about the data folder as a whole.
  ///
  /// - Parameters:
  ///   - waiting: the number of records not digested yet; nil if there are none.
  ///   - oldest: when the oldest of these records was received; nil if there are none.
  ///   - setAside: the number of records and rows quarantined within the last day.
  ///   - reasons: why they were quarantined, newest first.
  ///   - space: the finding about the disk; nil if free space is unknown.
  public func evaluateFolder(
    waiting: Int64?, oldest: Timestamp?, setAside: Int = 0, reasons: [String] = [], space: Finding? = nil,
    now: Timestamp
  ) throws {
    let findings =
      [rules.digest(waiting: waiting, oldest: oldest, now: now), rules.quarantine(setAside, reasons: reasons)]
      + [space].compactMap { $0 }
    try change(Incident.folder, nil, now) { _ in (findings, { _ in nil }) }
  }

  /// Deletes incidents 400 days after their end, and messages 30 days after they were sent.
  public func prune(now: Timestamp) throws {
    try control.forgetAlerts(
      closedBefore: Timestamp(milliseconds: now.milliseconds - 400 * Finding.day),
      toldBefore: Timestamp(milliseconds: now.milliseconds - 30 * Finding.day))
  }

  /// Advances the incidents by one step and stores those that change, with the message about them. `evaluate` returns
  /// the findings and a function that retires breaches, and records in the state how far the data were read. It runs
  /// again if another process has changed the incidents in the meantime.
  private func change(
    _ app: AppID, _ name: String?, _ now: Timestamp,
    _ evaluate: (inout AlertState) throws -> ([Finding], retired: (Breach) -> String?)
  ) throws {
    for _ in 0..<Self.attempts {
      let before = try control.alertState(of: app)
      var after = before
      let (findings, retired) = try evaluate(&after)
      let machine = IncidentStateMachine(
        app: app, thresholds: rules.thresholds, silences: try control.silences(at: now))
      let transitions = machine.transitions(of: before.open, findings: findings, retired: retired, now: now)
      if transitions.isEmpty, after == before { return }
      let message = AlertMessage(transitions, app: name, links: links, now: now, decision: before.version)
      if try control.decide(transitions.map(\.incident), message.map { [$0] } ?? [], after, of: app) { return }
    }
    throw ControlError.invalid(
      "The incidents of \(name ?? "the data folder") kept changing. Run fewer evaluations of one folder at a time.")
  }

  /// The maximum number of attempts to store a decision while other processes change the incidents.
  private static let attempts = 20
}

/// The findings of one evaluation of an app: from all rules if there are new data, otherwise only from rules that
/// depend on the current time.
private struct AppEvaluation {
  private(set) var findings: [Finding] = []
  private(set) var input: AlertRuleInput?
  private(set) var failure: (any Error)?
  private(set) var digestedThrough: Int64
  private(set) var fingerprint: String
  private let rules: IncidentRules
  private let ended: EndedBreaches

  init(
    of app: App, _ state: AlertState, _ ended: EndedBreaches, _ rules: IncidentRules, _ now: Timestamp,
    _ groups: ((HealthReader) -> GroupReader)?, _ health: () throws -> HealthReader
  ) {
    self.rules = rules
    self.ended = ended
    digestedThrough = state.digestedThrough
    fingerprint = state.rules
    do {
      // Retry once, so that a temporary failure does not open an incident.
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
    let fingerprint = IncidentIdentifier.hash([rules.thresholds.fingerprint] + health.budgetTexts)
    guard through != state.digestedThrough || fingerprint != state.rules else {
      findings = [rules.stale(try health.freshness(app, now: now), now: now)].compactMap { $0 }
      return
    }
    let open = Set(state.open.flatMap(\.open).map(\.key))
    let watching = Set(open.compactMap { $0.slice?.release })
    var input = try health.alertRuleInput(app, watching: watching, now: now)
    input.watchedGroups = try groups?(health).watch(app, now: now)
    findings =
      try rules.findings(input, open: open, ended: ended).map { try dated($0, open, app, health, now) }
      + [rules.stale(input.freshness, now: now)].compactMap { $0 }
    self.input = input
    // Read before the metrics, so that the next run evaluates records that arrived in the meantime.
    digestedThrough = through
    self.fingerprint = fingerprint
  }

  /// Adds the time at which the budget broke to a finding that opens a breach, and where a release became worse. Breaches
  /// store both, so they are read once.
  private func dated(
    _ finding: Finding, _ open: Set<BreachKey>, _ app: App, _ health: HealthReader, _ now: Timestamp
  ) throws -> Finding {
    guard finding.condition == .broken, finding.since == nil, !open.contains(finding.key),
      let metric = finding.key.metric, let slice = finding.key.slice
    else { return finding }
    var dated = finding
    let budget = finding.key.rule == .budget || finding.key.rule == .warning ? finding.key.subject : nil
    dated.since = try health.onset(
      of: metric, budget: budget, isWarning: finding.key.rule == .warning, on: slice, app, now: now)
    if let release = slice.release, slice == Slice(environment: slice.environment, release: release),
      let list = try health.causes(of: metric, in: release, environment: slice.environment, app, now: now),
      !list.causes.isEmpty
    {
      let title = Catalogue.metric(named: metric)?.title ?? metric
      let parts = list.sentences.prefix(2).joined(separator: "; ")
      dated.evidence.facts.append(Detail("Where", "\(title): \(parts)"))
    }
    return dated
  }

  /// The reason to retire a breach; nil to keep it open. Always nil without new data.
  func retired(_ breach: Breach) -> String? { input.flatMap { rules.retired(breach, $0) } }
}
