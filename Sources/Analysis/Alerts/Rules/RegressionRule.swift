import Core
import Storage

/// The rule about regressions: a metric with a budget that is certainly worse than in the previous release, by more
/// than the margin.
struct RegressionRule {
  private let context: RuleContext

  init(_ context: RuleContext) { self.context = context }

  var findings: [Finding] {
    context.input.comparisons.flatMap { comparison in
      comparison.metrics.filter { $0.budget != nil }.map { finding($0, comparison) }
    }
  }

  private func finding(_ metric: MetricComparison, _ comparison: ReleaseComparison) -> Finding {
    let slice = Slice(environment: comparison.environment, release: comparison.head)
    let key = BreachKey(.regression, metric.name, slice: slice)
    var condition = condition(metric)
    if condition == .broken, isKnown(metric, slice) { condition = .unclear }
    return Finding(
      key: key, severity: .warning, condition: condition, count: metric.head.n, enough: Self.enough,
      settling: Finding.lasting, since: context.firstDay(of: comparison.head), evidence: evidence(metric, comparison))
  }

  /// The number of new events needed to close a recovering incident.
  private static let enough = 30

  private func condition(_ metric: MetricComparison) -> Incident.Condition {
    if metric.isCertain, isLarge(metric) { return .broken }
    switch metric.verdict {
    case .better, .noDifferenceShown: return .within
    case .notEnoughData where !isLarge(metric) && metric.difference != nil: return .recovering
    case .worse, .notEnoughData: return .unclear
    }
  }

  private func isLarge(_ metric: MetricComparison) -> Bool {
    guard let value = metric.difference?.value else { return false }
    return (metric.direction == .lower ? value : -value) > metric.margin
  }

  /// Whether the metric's budget is also broken on this release. Then the incident about the budget is enough, because
  /// it has more information.
  private func isKnown(_ metric: MetricComparison, _ slice: Slice) -> Bool {
    guard let budget = metric.budget else { return false }
    if context.open.contains(BreachKey(.budget, budget, slice: slice)) { return true }
    return context.input.results.contains { result in
      result.budget == budget && result.slice == slice && (result.incidentTests?.budget.opens ?? false)
    }
  }

  private func evidence(_ metric: MetricComparison, _ comparison: ReleaseComparison) -> Evidence {
    let change = "\(metric.change(metric.difference?.value)) (\(metric.changeInterval) at 95\u{A0}%)"
    let values = [metric.head, metric.base].map { value in
      "\(Quantity.text(value.estimate, metric.unit)), n \(Decimal.grouped(value.n))"
    }
    let name = [metric.statistic, metric.name].compactMap { $0 }.joined(separator: " ")
    let title = Catalogue.metric(named: metric.name).map { EventNoun.withinSentence($0.title) } ?? metric.name
    let words = [metric.statistic, title].compactMap { $0 }.joined(separator: " ")
    let scope = "\(comparison.environment), \(comparison.head)"
    let budget = metric.budget.map { ", budget \($0)" } ?? ""
    return Evidence(
      summary: "\(name) is worse than in \(comparison.base) by \(change): \(values[0]) after \(values[1])"
        + "\(budget) [\(scope)]",
      facts: [
        Detail("Compared", "\(comparison.window.from.iso) to \(comparison.window.to.iso), within device classes")
      ], advice: MetricAdvice.line(for: metric.name),
      headline: "\(words) is worse than in \(comparison.base) by \(metric.change(metric.difference?.value))")
  }
}
