public import Health
import Storage
import Telemetry
import Wording

/// A report as lines for a terminal.
public enum ReportText {
  /// Sessions, budgets, metrics and releases.
  public static func lines(_ report: HealthReport) -> [String] {
    heading(report) + sessions(report) + budgets(report) + metrics(report) + releases(report)
  }

  private static func heading(_ report: HealthReport) -> [String] {
    let stale = report.staleDays.map { $0 > 1 ? ", newest data \($0) days old" : "" } ?? ", no data"
    let window = "\(report.window.from.iso) to \(report.window.to.iso)"
    return ["\(report.app)  \(report.slice.environment)  \(window)\(stale)"]
      + [report.environmentNote].compactMap { $0 }
  }

  private static func sessions(_ report: HealthReport) -> [String] {
    guard report.sessions.total > 0 else { return [] }
    let ratio = report.sessions.crashFree
    let outcomes = SessionOutcome.allCases.map { "\($0.name) \(Decimal.grouped(report.sessions.counts[$0] ?? 0))" }
    return [
      "", "Sessions  \(Decimal.grouped(report.sessions.total)): \(outcomes.joined(separator: ", "))",
      "  crash-free \(Quantity.share(ratio.estimate.value)) (\(Quantity.interval(ratio.estimate, .ratio)))",
    ]
  }

  private static func budgets(_ report: HealthReport) -> [String] {
    report.budgets.isEmpty
      ? [] : ["", "Budgets"] + report.budgets.map { "  " + VerdictFormatter.line($0, app: report.app) }
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
      let build = release.release.build.isEmpty ? "" : " (\(release.release.build))"
      let adoption = release.adoption.map { Quantity.share($0) } ?? Quantity.unknown
      return "  \(release.release.version)\(build)  adoption \(adoption)  sessions \(Decimal.grouped(release.sessions))"
    }
    return shown.isEmpty ? [] : ["", "Releases"] + shown
  }
}
