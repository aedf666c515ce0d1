import Core
import Storage

/// The rule about rollouts: the newest release should be halted. It says so once, with the reason.
struct RolloutRule {
  private let context: RuleContext

  init(_ context: RuleContext) { self.context = context }

  var findings: [Finding] { context.input.rollouts.map(finding) }

  private func finding(_ report: RolloutReport) -> Finding {
    let slice = Slice(environment: report.slice.environment, release: report.release)
    let condition: Incident.Condition =
      switch report.verdict {
      case .halt: .broken
      case .extend: .unclear
      case .continue: .within
      }
    return Finding(
      key: BreachKey(.rollout, slice: slice), severity: .critical, condition: condition,
      count: report.days.reduce(0) { $0.saturatingAdd($1.use) }, enough: Self.enough, settling: Finding.lasting,
      since: report.window.from.startUTC, evidence: evidence(report))
  }

  /// The number of new events needed to close a recovering incident.
  private static let enough = 30

  private func evidence(_ report: RolloutReport) -> Evidence {
    let worse = report.worse.map { vital in
      Detail(vital.plainTitle, "\(vital.ratioText) the \(vital.countedText) of \(report.base)")
    }
    return Evidence(
      summary: "halt the rollout of \(report.release): \(report.sentence) [\(report.slice.environment)]",
      facts: worse + [Detail("Compared", "\(report.window.from.iso) to \(report.window.to.iso), with \(report.base)")],
      advice: report.worse.first.flatMap { MetricAdvice.line(for: $0.name) },
      headline: "halt the rollout of \(report.release); worse than \(report.base) in "
        + report.worse.map { EventNoun.withinSentence($0.plainTitle) }.joined(separator: ", "))
  }
}
