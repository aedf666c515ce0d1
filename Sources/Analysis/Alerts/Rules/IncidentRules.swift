import Core
import Storage

/// Applies every alert rule to the metrics of an app. To add a rule, add a case to `BreachKey.Rule` and a type whose
/// `findings` are called here.
public struct IncidentRules: Sendable {
  var thresholds: AlertThresholds

  /// The findings of all rules that need data.
  ///
  /// - Parameters:
  ///   - open: the keys of the app's open breaches.
  ///   - ended: the breaches that ended recently.
  func findings(_ input: AlertRuleInput, open: Set<BreachKey>, ended: EndedBreaches = .init()) -> [Finding] {
    let context = RuleContext(input: input, open: open, thresholds: thresholds)
    let found =
      BudgetRule(context).findings + BurnRule(context).findings + RegressionRule(context).findings
      + RolloutRule(context).findings + GroupRule(context).findings
    let known = found.filter { $0.key.slice?.environment != Self.simulated && Self.isNamed($0.key.version) }
      .map(context.withheld)
    let explained = ReleaseInhibition(known, open: open, ended: ended)
    return known.map { explained.withheld($0, open: open) }
  }

  /// The reason why a breach no longer applies, such as a removed budget or a superseded release; nil if it still
  /// applies.
  func retired(_ breach: Breach, _ input: AlertRuleInput) -> String? {
    switch breach.key.rule {
    case .budget, .warning, .missing:
      if !input.budgets.contains(breach.key.subject) { return "The budget has been removed or changed." }
    case .newGroup, .groupSpike:
      // If this evaluation did not read groups, a missing group proves nothing.
      if input.hasGroups, let reason = GroupRule.retired(breach.key, input) { return reason }
    case .burn, .regression, .rollout, .stale, .digest, .quarantine, .evaluation, .space: break
    }
    guard let slice = breach.key.slice, slice.environment == input.slice.environment, let release = slice.release
    else { return nil }
    return ReleaseSupersession(input.releases).reason(release)
  }

  private static let simulated = "simulated"

  /// False for payloads with an unknown release or several releases, because there is no release to fix or withdraw.
  /// The rules about the whole app include these payloads.
  private static func isNamed(_ version: String?) -> Bool { version?.utf8.first != UInt8(ascii: "(") }
}

/// The input of every rule: the metrics, the open breaches and the thresholds.
struct RuleContext {
  let input: AlertRuleInput
  let open: Set<BreachKey>
  let thresholds: AlertThresholds

  /// Changes a broken finding to unclear if its release is too new or superseded, so that it opens no incident.
  func withheld(_ finding: Finding) -> Finding {
    guard finding.condition == .broken, !open.contains(finding.key), let release = finding.key.slice?.release else {
      return finding
    }
    let isYoung = input.releases.first { $0.title == release }.map(isYoung) ?? false
    guard isYoung || ReleaseSupersession(input.releases).reason(release) != nil else { return finding }
    var withheld = finding
    withheld.condition = .unclear
    return withheld
  }

  /// Whether all builds of a version are too new to open incidents. Groups store versions, not builds.
  func isYoung(version: String) -> Bool {
    let builds = input.releases.filter { $0.release.version == version }
    return !builds.isEmpty && builds.allSatisfy(isYoung)
  }

  private func isYoung(_ release: ReleaseReport) -> Bool { release.age.map { $0 < thresholds.releaseAge } ?? false }

  /// Midnight (UTC) of the first day of a release; nil if the release is unknown.
  func firstDay(of release: String) -> Timestamp? {
    input.releases.first { $0.title == release }?.firstSeen.startUTC
  }

  /// The comparison of a metric with the previous release; nil for a slice by device, OS version, attribute or label,
  /// because releases are compared only over all devices.
  func comparison(of metric: String, on slice: Slice) -> (ReleaseComparison, MetricComparison)? {
    guard slice.os == nil, slice.device == nil, slice.deviceClass == nil, slice.attribute == nil,
      slice.label == nil
    else { return nil }
    let own = slice.release.map { release in input.comparisons.filter { $0.head == release } } ?? input.comparisons
    guard let first = own.first, let found = first.metrics.first(where: { $0.name == metric }) else { return nil }
    return (first, found)
  }
}
