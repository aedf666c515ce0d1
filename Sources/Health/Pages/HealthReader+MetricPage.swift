import Statistics
import Budgets
public import Storage
public import Telemetry

extension HealthReader {
  /// What a metric's page shows; nil when the window has no data of it.
  public func metricPage(
    _ app: App, metric name: String, _ query: ReportQuery = .init(), now: Timestamp
  ) throws -> MetricPage? {
    let scope = try scope(of: app, query, now: now)
    let stored = Measure.storedNames(of: name)
    let series = try series(scope, metrics: stored)
    guard let report = Self.metric(name, series) else { return nil }
    let own = budgets.filter { $0.metric == name }
    return MetricPage(
      app: scope.bundleID, window: scope.window, slice: scope.slice, environmentNote: scope.environmentNote,
      report: report, metric: Catalogue.metric(named: name),
      budgets: try HealthReader(store: store, budgets: own).results(scope, series: series),
      trends: Self.trends(scope.window, series, name, kind: report.kind),
      budgetTrends: Self.budgetTrends(scope.window, series, own), releaseMarkers: markers(scope),
      distribution: Self.bars(series, name),
      byRelease: try breakdown(scope, name, .release, own.first).sorted { left, right in
        VersionOrder.precedes(right.key, left.key)
      },
      byDevice: try breakdown(scope, name, .device, own.first).sorted { ($1.report.n, $0.key) < ($0.report.n, $1.key) },
      byLabel: try breakdown(byLabel: scope, name, own.first), asOf: scope.now)
  }

  /// A metric under a catalogue name, derived ones included.
  static func metric(_ name: String, _ series: [Series]) -> MetricReport? {
    guard let (measure, source) = Measure.named(name, in: series), measure.n > 0 else { return nil }
    guard let metric = Catalogue.metric(named: name), metric.kind == .ratio || metric.kind == .rate else {
      return series.first { $0.metric.name == name }.map { MetricReport(reading: $0, measure) }
    }
    // Some have rows of their own, which know their payloads; others are made of rows of other metrics.
    let carrier =
      series.first { $0.metric.name == name }
      ?? Series(metric: .known(metric.number), label: "", source: source, member: "")
    return MetricReport(reading: carrier, measure)
  }

  private static func budgetTrends(
    _ window: Window, _ series: [Series], _ budgets: [Budget]
  ) -> [String: [TrendPoint]] {
    var trends: [String: [TrendPoint]] = [:]
    for budget in budgets {
      guard let name = budget.statistic.name, !["p50", "p90", "p95"].contains(name) else { continue }
      trends[name] = Trend(window, series, budget.metric, budget.statistic).points
    }
    return trends
  }

  private static func trends(
    _ window: Window, _ series: [Series], _ name: String, kind: Metric.Kind
  ) -> [Int: [TrendPoint]] {
    guard kind == .distribution else { return [0: Trend(window, series, name, .value).points] }
    return Dictionary(
      uniqueKeysWithValues: [50, 90, 95].map { ($0, Trend(window, series, name, .percentile($0)).points) })
  }

  private static func bars(_ series: [Series], _ name: String) -> [DistributionBar] {
    guard case .distribution(let distribution) = Measure.named(name, in: series)?.measure else { return [] }
    return distribution.reader.bars(maximum: 40).map { DistributionBar(low: $0.low, high: $0.high, count: $0.count) }
  }

  private func markers(_ scope: Scope) -> [ReleaseMarker] {
    let first = Dictionary(
      scope.inventory.releases.filter { $0.environment == scope.slice.environment && $0.release != .mixed }
        .map { ($0.release.version, $0.firstDay) }, uniquingKeysWith: min)
    return first.filter { scope.window.from < $0.value && $0.value <= scope.window.to }
      .map { ReleaseMarker(day: $0.value, version: $0.key) }
      .sorted { ($0.day, $1.version) < ($1.day, $0.version) }
  }

  private func breakdown(
    _ scope: Scope, _ name: String, _ dimension: Dimension, _ budget: Budget?
  ) throws -> [Breakdown] {
    let stored = Measure.storedNames(of: name)
    let series: [Series]
    do {
      series = try self.series(scope, metrics: stored, dimension: dimension)
    } catch StoreError.windowTooOld {
      return []
    }
    return Dictionary(grouping: series, by: \.member).compactMap { member, own in
      row(member, title: Self.title(of: member, dimension), own, name, budget, scope)
    }
  }

  private func breakdown(byLabel scope: Scope, _ name: String, _ budget: Budget?) throws -> [Breakdown] {
    guard let series = try? series(scope, metrics: [name], byLabel: true) else { return [] }
    return series.compactMap { own in row(own.label, title: own.label, [own], name, budget, scope) }
      .sorted { ($1.report.n, $0.key) < ($0.report.n, $1.key) }
  }

  private func row(
    _ key: String, title: String, _ series: [Series], _ name: String, _ budget: Budget?, _ scope: Scope
  ) -> Breakdown? {
    guard let report = Self.metric(name, series) else { return nil }
    let verdict = budget.map { budget in
      Judge(budget: budget.converted(to: report.unit) ?? budget)
        .result(Measure.named(name, in: series)?.measure, on: scope, slice: scope.slice).verdict
    }
    return Breakdown(key: key, title: title, report: report, verdict: verdict)
  }

  private static func title(of member: String, _ dimension: Dimension) -> String {
    dimension == .device ? DeviceNames.marketingName(of: member) ?? member : member
  }
}
