import Core
import Storage

/// The rule about budgets: broken limits, broken warning levels, and missing data for a budget that requires them.
struct BudgetRule {
  private let context: RuleContext

  init(_ context: RuleContext) { self.context = context }

  var findings: [Finding] {
    (context.input.results + context.input.watched).flatMap { result in
      [missing(result)].compactMap { $0 } + levels(result)
    }
  }

  private func levels(_ result: BudgetResult) -> [Finding] {
    guard let tests = result.incidentTests else { return [] }
    let key = BreachKey(.budget, result.budget, slice: result.slice)
    let budget = finding(key, .critical, result, tests.budget)
    guard let test = tests.warning else { return [budget] }
    var warning = finding(
      BreachKey(.warning, result.budget, slice: result.slice), .warning, result, test)
    // A broken budget needs no additional warning.
    if warning.condition == .broken, budget.condition == .broken || context.open.contains(key) {
      warning.condition = .unclear
    }
    return [budget, warning]
  }

  private func finding(
    _ key: BreachKey, _ severity: Severity, _ result: BudgetResult, _ test: IncidentSignificanceTest
  ) -> Finding {
    Finding(
      key: key, severity: severity, condition: condition(result, test), count: test.n, enough: test.enough,
      settling: Finding.lasting,
      evidence: BudgetEvidenceText(result: result, test: test, context: context).evidence)
  }

  private func condition(_ result: BudgetResult, _ test: IncidentSignificanceTest) -> Incident.Condition {
    if test.opens { return .broken }
    guard test.basis == .clusters, !test.isBroken else { return .unclear }
    if test.isWithin, isSettled(result) { return .within }
    return test.isMet ? .recovering : .unclear
  }

  /// Whether a value within budget ends the incident. Crashes of the latest sessions may still be unreported. For a
  /// release, only the verdict waits for them, so only the verdict ends the incident.
  private func isSettled(_ result: BudgetResult) -> Bool {
    let isOfSessions = result.metric.hasPrefix("sessions.") || result.metric.hasPrefix("users.")
    return !isOfSessions || result.slice.release == nil || result.verdict == .within
  }

  /// The finding about a budget that requires data and has too few. It applies only to the app as a whole, because a
  /// new release starts without enough data.
  private func missing(_ result: BudgetResult) -> Finding? {
    guard result.requiresData, result.slice.release == nil else { return nil }
    let isMissing = result.verdict == .notEnoughData && result.reason != .close && result.reason != .coarse
    let explanation = result.explanation ?? ""
    return Finding(
      key: BreachKey(.missing, result.budget, slice: result.slice), severity: .warning,
      condition: isMissing ? .broken : .within, count: result.n,
      evidence: Evidence(
        summary: "\(result.budget) requires data and does not have enough: \(explanation)",
        advice: "Check on the data-quality page that the metric still arrives from the devices that the budget names.",
        headline: "too little data for \(result.withGoal(BudgetWords.line(result.budget)))"))
  }
}

/// The text of an incident about a budget: summary and evidence.
struct BudgetEvidenceText {
  let result: BudgetResult
  let test: IncidentSignificanceTest
  let context: RuleContext

  var evidence: Evidence {
    Evidence(
      summary: VerdictFormatter.statement(shown),
      facts: [events] + ReleaseEvidence.facts(result.metric, result.slice, context),
      advice: MetricAdvice.line(for: result.metric), headline: headline)
  }

  /// `p90 launch to first draw is 2.31 s, budget ≤ 2 s`
  private var headline: String {
    let sign = result.direction == .lower ? "≤" : "≥"
    let title = Catalogue.metric(named: result.metric).map { EventNoun.withinSentence($0.title) } ?? result.metric
    let slice = result.slice
    let part = [slice.deviceClass, slice.device, slice.os, slice.label, slice.attribute?.text].compactMap { $0 }
      .joined(separator: ", ")
    let level = test.target == result.target ? "budget" : "warning level"
    return [result.statistic, title, part.isEmpty ? nil : "on \(part)"].compactMap { $0 }.joined(separator: " ")
      + " is \(Quantity.text(test.value, result.unit, isAtLeast: result.isAtLeast)), "
      + "\(level) \(sign) \(Quantity.limit(test.target, result.unit))"
  }

  /// The result with the limit and bound of the test that opens the incident.
  private var shown: BudgetResult {
    var shown = result
    shown.verdict = test.target == result.target ? .broken : .warning
    shown.value = test.value
    shown.bound = result.direction == .lower ? test.low : test.high
    shown.confidence = test.confidence
    shown.n = test.n
    return shown
  }

  private var events: Detail {
    let bad = Decimal.grouped(Int(min(test.badEvents, 9e15)))
    let all = EventNoun.count(test.n, of: result.metric)
    if result.metric.hasPrefix("sessions.") || result.metric.hasPrefix("users.") {
      let users = test.known > 0 ? ", of at least \(count(test.affectedUsers, "user"))" : ""
      return Detail("Evidence", "\(bad) of \(all) crashed\(users)")
    }
    if result.unit == .ratio {
      return Detail("Evidence", "\(bad) of \(all), in \(count(test.known, "payload"))")
    }
    let limit = Quantity.limit(test.target, result.unit)
    let side = result.direction == .lower ? "above" : "below"
    return result.statistic == nil
      ? Detail("Evidence", "\(all), at least \(Decimal.grouped(test.affectedUsers)) of them with such events")
      : Detail("Evidence", "\(bad) of \(all) \(side) \(limit), in \(count(test.known, "payload"))")
  }

  private func count(_ n: Int, _ noun: String) -> String { "\(Decimal.grouped(n)) \(noun)\(n == 1 ? "" : "s")" }
}
