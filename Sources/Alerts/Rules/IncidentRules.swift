public import Health
public import Storage
import Telemetry

/// What is broken in an app, by every rule. A further rule is a case of `IncidentKey.Rule` and a function that gives
/// its findings, called here.
public struct IncidentRules: Sendable {
  public var policy: AlertPolicy

  public init(policy: AlertPolicy) { self.policy = policy }

  /// From one reading. `open`: what is broken already.
  public func findings(_ checks: IncidentChecks, open: Set<IncidentKey>) -> [Finding] {
    let context = RuleContext(checks: checks, open: open, policy: policy)
    let found =
      BudgetRule(context).findings + BurnRule(context).findings + RegressionRule(context).findings
      + GroupRule(context).findings
    return found.filter { $0.key.slice?.environment != Self.simulated }.map(context.withheld)
  }

  /// Why nobody asks about an incident any more; nil while somebody does.
  public func retired(_ incident: Incident, _ checks: IncidentChecks) -> String? {
    switch incident.key.rule {
    case .budget, .warning, .missing:
      if !checks.budgets.contains(incident.key.subject) { return "The budget is no longer in force." }
    case .newGroup, .groupSpike:
      // A look that could not read groups says nothing of them.
      if checks.hasGroups, let reason = GroupRule.retired(incident.key, checks) { return reason }
    case .burn, .regression, .stale, .digest, .quarantine, .evaluation: break
    }
    guard let slice = incident.key.slice, slice.environment == checks.slice.environment, let release = slice.release
    else { return nil }
    return Supersession(checks.releases).reason(release)
  }

  private static let simulated = "simulated"
}

/// What every rule looks at.
struct RuleContext {
  let checks: IncidentChecks
  let open: Set<IncidentKey>
  let policy: AlertPolicy

  /// A finding about a release that is too new or no longer matters opens nothing; what is open goes on.
  func withheld(_ finding: Finding) -> Finding {
    guard finding.condition == .broken, !open.contains(finding.key), let release = finding.key.slice?.release else {
      return finding
    }
    let isYoung = checks.releases.first { $0.title == release }.map(isYoung) ?? false
    guard isYoung || Supersession(checks.releases).reason(release) != nil else { return finding }
    var withheld = finding
    withheld.condition = .unclear
    return withheld
  }

  /// Whether all builds of a version are too new to open anything: groups are told apart by version only.
  func isYoung(version: String) -> Bool {
    let builds = checks.releases.filter { $0.release.version == version }
    return !builds.isEmpty && builds.allSatisfy(isYoung)
  }

  private func isYoung(_ release: ReleaseReport) -> Bool { release.age.map { $0 < policy.releaseAge } ?? false }

  /// What the release before shows of the same metric. Releases are compared on the whole fleet, which says nothing about
  /// a part of it.
  func comparison(of metric: String, on slice: Slice) -> (ReleaseComparison, MetricComparison)? {
    guard slice.os == nil, slice.device == nil, slice.deviceClass == nil, slice.label == nil else { return nil }
    let own = slice.release.map { release in checks.comparisons.filter { $0.head == release } } ?? checks.comparisons
    guard let first = own.first, let found = first.metrics.first(where: { $0.name == metric }) else { return nil }
    return (first, found)
  }
}

/// Whether a release still matters.
struct Supersession {
  private let releases: [ReleaseReport]

  /// What is booked as `(mixed)` or `(other)` is no release that takes another one's place.
  init(_ releases: [ReleaseReport]) {
    self.releases = releases.filter(\.release.isNamed)
  }

  /// Why it does not; nil while it does, and while nobody uses anything.
  func reason(_ release: String) -> String? {
    let others = releases.filter { $0.title != release }
    guard let heir = others.first(where: { ($0.adoption ?? 0) >= ReleaseStage.adoptedShare }) else { return nil }
    guard let own = releases.first(where: { $0.title == release }) else {
      return "\(release) is no longer in use; \(heir.title) is."
    }
    guard let adoption = own.adoption else { return nil }
    let isPulled = own.stage == .low && adoption < Self.pulledShare && (own.age ?? 0) >= 1440
    guard own.stage == .replaced || isPulled else { return nil }
    return "\(release) is superseded by \(heir.title)."
  }

  /// A release that was never adopted and has less than this was taken back.
  private static let pulledShare = 0.01
}
