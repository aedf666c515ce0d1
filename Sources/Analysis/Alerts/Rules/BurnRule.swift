import Core
import Storage

/// The rule about burn rates: crashes that use up the error budget too fast (Google, "The Site Reliability Workbook",
/// chapter 5). Sessions count by time of arrival, so this rule detects a new fault first.
struct BurnRule {
  private let context: RuleContext

  init(_ context: RuleContext) { self.context = context }

  var findings: [Finding] { context.input.burns.compactMap(finding) }

  private func finding(_ check: BurnCheck) -> Finding? {
    guard let target = check.report.target, let window = shown(check.report) else { return nil }
    return Finding(
      key: BreachKey(.burn, slice: check.slice), severity: severity(check.report),
      condition: condition(check.report), count: sessions(check.slice), enough: enough(target),
      patience: 6 * Finding.hour, settling: Finding.lasting, evidence: evidence(window, check, target))
  }

  /// The window that the message shows: the shortest that certainly fires, otherwise the shortest with a rate.
  private func shown(_ report: BurnReport) -> BurnWindow? {
    report.windows.first(where: \.isCertain) ?? report.windows.first { $0.longRate != nil }
  }

  private func condition(_ report: BurnReport) -> Incident.Condition {
    if report.windows.contains(where: \.isCertain) { return .broken }
    if report.windows.contains(where: \.fires) { return .unclear }
    // The short windows end now, so a low rate means that new sessions arrived and few of them crashed.
    let recent = report.windows.filter { $0.policy.short >= Self.recent }
    let isCalm = !recent.isEmpty && recent.allSatisfy { $0.shortRate.map { $0 <= 1 } ?? false }
    return isCalm ? .recovering : .unclear
  }

  /// The shortest window, in minutes, that can show that crashes have stopped.
  private static let recent = 120

  /// Critical for windows of at most six hours, for which the workbook pages an engineer; a warning for longer windows,
  /// for which it opens a ticket.
  private func severity(_ report: BurnReport) -> Severity {
    report.windows.contains { $0.isCertain && $0.policy.long <= 360 } ? .critical : .warning
  }

  private func sessions(_ slice: Slice) -> Int {
    context.input.releases.filter { slice.release == nil || $0.title == slice.release }.reduce(0) { sum, release in
      let (total, overflow) = sum.addingReportingOverflow(release.sessions)
      return overflow ? .max : total
    }
  }

  /// The number of sessions without a crash that proves with 95 % confidence that the target is met (rule of three).
  private func enough(_ target: Double) -> Int { target < 1 ? Int(min(3 / (1 - target), 9e15)) : .max }

  private func evidence(_ window: BurnWindow, _ check: BurnCheck, _ target: Double) -> Evidence {
    let policy = window.policy
    let scope = [check.slice.environment, check.slice.release].compactMap { $0 }.joined(separator: ", ")
    let long = "\(rate(window.longRate)) times too fast over \(BurnPolicy.name(minutes: policy.long))"
    let short = "\(rate(window.shortRate)) over the last \(BurnPolicy.name(minutes: policy.short))"
    let seen = window.seen.map(Decimal.grouped) ?? Quantity.unknown
    let crashed = window.crashed.map(Decimal.grouped) ?? Quantity.unknown
    let users = window.users.map { ", of \(Decimal.grouped($0)) user\($0 == 1 ? "" : "s")" } ?? ""
    let limit = "limit \(Decimal.significant(policy.factor))"
    return Evidence(
      summary: "crashes use up the error budget \(long) and \(short) (\(limit); n \(seen)), "
        + "budget sessions.crash_free >= \(Quantity.limit(target, .ratio)) [\(scope)]",
      facts: [Detail("Evidence", "\(crashed) crashed sessions of \(seen)\(users)")]
        + ReleaseEvidence.facts("sessions.crash_free", check.slice, context),
      advice: MetricAdvice.line(for: "sessions.crash_free"), headline: "crashes use up the error budget \(long)")
  }

  private func rate(_ value: Double?) -> String { value.map(Decimal.significant) ?? Quantity.unknown }
}
