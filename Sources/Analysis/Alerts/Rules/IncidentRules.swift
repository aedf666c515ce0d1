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
    let explained = ExplainedByRelease(known, open: open, ended: ended)
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
    return Supersession(input.releases).reason(release)
  }

  private static let simulated = "simulated"

  /// False for payloads with an unknown release or several releases, because there is no release to fix or withdraw.
  /// The rules about the whole app include these payloads.
  private static func isNamed(_ version: String?) -> Bool { version?.utf8.first != UInt8(ascii: "(") }
}
