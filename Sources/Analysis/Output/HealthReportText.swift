import Core
import Storage

/// A health report as lines for a terminal.
public enum HealthReportText {
  /// The report's sections: sessions, budgets, metrics and releases.
  public static func lines(_ report: HealthReport) -> [String] {
    let lines = sessions(report) + budgets(report) + metrics(report) + releases(report)
    return heading(report) + (lines.isEmpty ? ["", "No data for these days."] : lines)
  }

  private static func heading(_ report: HealthReport) -> [String] {
    let stale = report.staleDays.map { $0 > 1 ? ", newest data \($0) days old" : "" } ?? ", no data"
    let window = "\(report.window.from.iso) to \(report.window.to.iso)"
    return ["\(report.app)  \(report.slice.environment)  \(window)\(stale)"]
      + [report.environmentNote].compactMap { $0 }
  }

  private static func sessions(_ report: HealthReport) -> [String] {
    guard report.sessions.total > 0 else { return [] }
    let hangs = report.sessions.hangFree
    let shares =
      share("crash-free", report.sessions.crashFree) + (hangs.n > 0 ? ", " + share("hang-free", hangs) : "")
    let outcomes = SessionOutcome.allCases.map { "\($0.name) \(Decimal.grouped(report.sessions.counts[$0] ?? 0))" }
    return [
      "", "Sessions  \(Decimal.grouped(report.sessions.total)): \(outcomes.joined(separator: ", "))",
      "  " + shares,
    ] + users(report.users) + burn(report.burn)
  }

  private static func share(_ name: String, _ ratio: RatioEstimate) -> String {
    "\(name) \(Quantity.text(ratio.estimate, .ratio)) (\(Quantity.interval(ratio.estimate, .ratio)))"
  }

  private static func users(_ users: UserReport) -> [String] {
    guard let total = users.total, let crashed = users.crashed, total > 0 else { return [] }
    return [
      "Users  \(Decimal.grouped(total)): crashed \(Decimal.grouped(crashed))",
      "  " + share("crash-free", users.crashFree) + ", " + share("crash-free per day", users.crashFreeDaily),
    ]
  }

  private static func burn(_ burn: BurnReport) -> [String] {
    guard let left = burn.budgetLeft, let target = burn.target else { return [] }
    let fires = burn.windows.filter(\.fires).map { BurnPolicy.name(minutes: $0.policy.long) }
    let fast = fires.isEmpty ? "" : ", used up too fast over \(fires.joined(separator: ", "))"
    return ["Error budget  \(Quantity.share(left)) left of 28 days at \(Quantity.limit(target, .ratio))\(fast)"]
  }

  private static func budgets(_ report: HealthReport) -> [String] {
    guard let judgement = report.judgement, !judgement.budgets.isEmpty else { return [] }
    let subject =
      judgement.release.map { release in
        let use = release.adoption.map { ", adoption \(Quantity.share($0))" } ?? ""
        return "\(release.release.title): \(judgement.advice.rawValue)\(use)"
      } ?? "all releases"
    return ["", "Budgets of \(OneLineText.text(subject))"]
      + judgement.budgets.map { budget in
        let before = budget.before.flatMap(\.value).map { ", before \(Quantity.text($0, budget.result.unit))" } ?? ""
        return "  " + VerdictFormatter.line(budget.result, app: report.app) + before
      }
  }

  private static func metrics(_ report: HealthReport) -> [String] {
    let shown = report.metrics.map { metric -> String in
      let name = [metric.name, metric.label].compactMap { $0 }.joined(separator: " · ")
      guard metric.kind == .distribution else {
        let interval = metric.value.low == nil ? "" : " (\(Quantity.interval(metric.value, metric.unit)))"
        return "  \(name)  \(Quantity.text(metric.value, metric.unit))\(interval)"
      }
      let ranks = [50, 90, 95].map { "p\($0) \(Quantity.text(metric.percentiles[$0], metric.unit))" }
      return "  \(name)  \(ranks.joined(separator: "  "))  n \(Decimal.grouped(metric.n))"
    }
    return shown.isEmpty ? [] : ["", "Metrics"] + shown
  }

  private static func releases(_ report: HealthReport) -> [String] {
    let shown = report.releases.map { release in
      let adoption = release.adoption.map { Quantity.share($0) } ?? Quantity.unknown
      let stage = release.stage.map { ", \($0.rawValue)" } ?? ""
      let life = "\(release.firstSeen.iso) to \(release.lastSeen.iso)"
      return "  \(release.title)  adoption \(adoption)\(stage)  "
        + "sessions \(Decimal.grouped(release.sessions))  seen \(life)"
    }
    return shown.isEmpty ? [] : ["", "Releases"] + shown
  }
}
