public import Core
import Statistics
public import Storage

extension HealthReader {
  /// The report on an app over a window and slice.
  public func report(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> HealthReport {
    let scope = try scope(of: app, query, now: now)
    var report = try report(scope, series: try series(scope))
    report.judgement = try judgement(scope, query, releases: report.releases)
    return report
  }

  package func report(_ scope: Scope, series: [Series]) throws -> HealthReport {
    HealthReport(
      app: scope.bundleID, window: scope.window, slice: scope.slice, environmentNote: scope.environmentNote,
      sessions: Self.sessions(series), users: Self.users(series), metrics: Self.metrics(series),
      exits: Self.exits(series), budgets: try results(scope, series: series), releases: try releases(scope),
      burn: try burn(scope, series: series),
      digestedThrough: scope.inventory.digestedThrough, staleDays: scope.staleDays)
  }

  /// The probability outside each side of a displayed interval, which is a two-sided 95 % interval.
  static let shownTail = 0.025

  package static func sessions(_ series: [Series]) -> SessionReport {
    guard let (tally, _) = Measure.tally(series) else { return SessionReport() }
    let counts = SessionOutcome.allCases.map { ($0, Int(tally[$0])) }
    return SessionReport(
      counts: Dictionary(uniqueKeysWithValues: counts), crashFree: ratio("sessions.crash_free", series),
      hangFree: ratio("sessions.hang_free", series))
  }

  package static func users(_ series: [Series]) -> UserReport {
    let daily = ratio("users.crash_free_daily", series)
    guard let count = Measure.userCount(series) else {
      // Rows of combined filters count user-days without identifying users.
      return UserReport(crashFreeDaily: daily)
    }
    return UserReport(
      total: count.all, crashed: count.crashed, crashFree: ratio("users.crash_free", series),
      crashFreeDaily: daily)
  }

  static func ratio(_ name: String, _ series: [Series]) -> RatioEstimate {
    guard let (measure, _) = Measure.named(name, in: series) else { return RatioEstimate() }
    return RatioEstimate(
      estimate: measure.estimate(.value, tail: shownTail), n: measure.n, nEffective: measure.nEffective,
      basis: measure.basis)
  }

  package static func exits(_ series: [Series]) -> ExitReport {
    ExitReport(
      foreground: exits(series) { $0.foregroundMetric }, background: exits(series) { $0.backgroundMetric })
  }

  private static func exits(_ series: [Series], _ number: (ExitReason) -> UInt16) -> [ExitReason: Int]? {
    var counts: [ExitReason: Int] = [:]
    for reason in ExitReason.allCases {
      guard let found = series.first(where: { $0.metric == .known(number(reason)) }),
        case .sum(let sum, _) = Measure.of(found)
      else { continue }
      // Counts of a hostile client are capped at the largest integer, which Double cannot represent.
      counts[reason] = Int(min(sum, 9e18))
    }
    return counts.isEmpty ? nil : counts
  }

  /// All metrics with rows: in the catalogue's order, then custom metrics by name.
  private static func metrics(_ series: [Series]) -> [MetricReport] {
    // The order of each metric is looked up once, not at every comparison.
    series.filter { !internalMetrics.contains($0.metric) }.compactMap { metric($0, in: series) }
      .map { (order: $0.catalogueOrder, report: $0) }
      .sorted {
        ($0.order, $0.report.name, $0.report.unit.rawValue) < ($1.order, $1.report.name, $1.report.unit.rawValue)
      }.map(\.report)
  }

  private static func metric(_ own: Series, in series: [Series]) -> MetricReport? {
    // The distribution of durations shows whether the hang rate is only a lower bound.
    guard own.metric.name == "hang.rate", let (measure, _) = Measure.named("hang.rate", in: series) else {
      return MetricReport(reading: own)
    }
    return MetricReport(reading: own, measure)
  }

  /// Stored metrics that are shown only as part of derived metrics.
  package static let internalMetrics: Set<MetricReference> = [
    .known(Catalogue.sessions), .known(Catalogue.users), .known(Catalogue.payloads),
  ]
}
