import Health
import Storage
import Telemetry

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
