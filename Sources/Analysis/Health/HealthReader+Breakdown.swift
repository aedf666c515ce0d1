import Core
import Statistics
package import Storage

extension HealthReader {
  /// The report on a metric of the catalogue, which may be derived from other metrics; nil without data.
  package static func metric(_ name: String, _ series: [Series]) -> MetricReport? {
    guard let (measure, source) = Measure.named(name, in: series), measure.n > 0 else { return nil }
    guard let metric = Catalogue.metric(named: name), metric.kind == .ratio || metric.kind == .rate else {
      return series.first { $0.metric.name == name }.map { MetricReport(reading: $0, measure) }
    }
    // Some metrics have their own rows, which count their payloads; others are derived from rows of other metrics.
    let carrier =
      series.first { $0.metric.name == name }
      ?? Series(metric: .known(metric.number), label: "", source: source, member: "")
    return MetricReport(reading: carrier, measure)
  }

  /// The histogram bars of a metric; empty if it is not a distribution.
  package static func bars(_ series: [Series], _ name: String) -> [DistributionBar] {
    guard case .distribution(let distribution) = Measure.named(name, in: series)?.measure else { return [] }
    return distribution.reader.bars(maximum: 40).map { DistributionBar(low: $0.low, high: $0.high, count: $0.count) }
  }

  /// The names of the stored metrics that a metric is computed from.
  package static func storedNames(of metric: String) -> [String] { Measure.storedNames(of: metric) }

  /// The first day of each release that appeared within the window, oldest first.
  package func markers(_ scope: Scope) -> [ReleaseMarker] {
    let first = Dictionary(
      scope.inventory.releases.filter { $0.environment == scope.slice.environment && $0.release != .mixed }
        .map { ($0.release.version, $0.firstDay) }, uniquingKeysWith: min)
    return first.filter { scope.window.from < $0.value && $0.value <= scope.window.to }
      .map { ReleaseMarker(day: $0.value, version: $0.key) }
      .sorted { ($0.day, $1.version) < ($1.day, $0.version) }
  }

  /// A metric for each member of a dimension. Releases and OS versions are ordered newest first, device classes in
  /// their defined order, and values of attributes by attribute and amount of data. Empty for attributes if the app has
  /// none.
  package func breakdown(
    _ scope: Scope, _ name: String, _ dimension: Dimension, _ budget: Budget?, hasTrends: Bool = true
  ) throws -> [Breakdown] {
    guard dimension == .attribute else { return try members(scope, name, dimension, budget, hasTrends: hasTrends) }
    return try scope.attributes.flatMap {
      try members(scope.brokenDown(by: $0), name, dimension, budget, hasTrends: hasTrends)
    }
  }

  private func members(
    _ scope: Scope, _ name: String, _ dimension: Dimension, _ budget: Budget?, hasTrends: Bool
  ) throws -> [Breakdown] {
    let stored = Measure.storedNames(of: name)
    let kept = try KeptWindow { try self.series(scope, metrics: stored, dimension: dimension) }
    guard let series = kept.whole else { return [] }
    let members = Dictionary(grouping: series, by: \.member)
    let rows = members.compactMap { member, own in
      row(member, title: Self.title(of: member, dimension), own, name, budget, scope)
    }.sorted { left, right in
      dimension == .attribute && left.report.n != right.report.n
        ? left.report.n > right.report.n : Self.precedes(left.key, right.key, dimension)
    }
    let found = hasTrends ? withTrends(rows, members, name, budget, scope) : rows
    guard dimension == .attribute, let attribute = scope.attribute else { return found }
    // The key of a row is the value for a filter by it.
    return found.map { row in
      var row = row
      row.key = AttributeFilter(name: attribute, value: row.key).text
      return row
    }
  }

  package func breakdown(byLabel scope: Scope, _ name: String, _ budget: Budget?) throws -> [Breakdown] {
    let kept = try KeptWindow { try self.series(scope, metrics: [name], byLabel: true) }
    guard let series = kept.whole else { return [] }
    let rows = series.compactMap { own in row(own.label, title: own.label, [own], name, budget, scope) }
      .sorted { ($1.report.n, $0.key) < ($0.report.n, $1.key) }
    return withTrends(rows, Dictionary(grouping: series, by: \.label), name, budget, scope)
  }

  /// Adds a trend to the first rows: of the statistic that the budget limits, otherwise of the median.
  private func withTrends(
    _ rows: [Breakdown], _ members: [String: [Series]], _ name: String, _ budget: Budget?, _ scope: Scope
  ) -> [Breakdown] {
    rows.enumerated().map { index, row in
      guard index < Self.shownTrends, let own = members[row.key] else { return row }
      var row = row
      let statistic = budget?.statistic ?? (row.report.kind == .distribution ? .percentile(50) : .value)
      row.trend = Trend.points(scope.steps, own, name, statistic)
      return row
    }
  }

  /// The maximum number of small charts, so that they can still be compared.
  private static let shownTrends = 6

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

  private static func precedes(_ left: String, _ right: String, _ dimension: Dimension) -> Bool {
    switch dimension {
    case .release, .os: return VersionOrder.precedes(right, left)
    case .device, .attribute, .combination: return left < right
    case .deviceClass:
      let order = DeviceClass.all.map(\.name)
      let ranks = (order.firstIndex(of: left) ?? order.count, order.firstIndex(of: right) ?? order.count)
      return ranks.0 == ranks.1 ? left < right : ranks.0 < ranks.1
    }
  }

  private static func title(of member: String, _ dimension: Dimension) -> String {
    dimension == .device ? DeviceNames.marketingName(of: member) ?? member : member
  }
}
