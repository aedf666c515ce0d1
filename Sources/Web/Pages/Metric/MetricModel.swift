public import Analysis
import Core
import Storage

/// The model of a metric's page.
public struct MetricModel: Sendable {
  public var app: String
  var window: Window
  var slice: Slice
  var environmentNote: String?
  /// The metric over the whole window and slice.
  var report: MetricReport
  /// The metric's entry in the catalogue; nil for a custom metric.
  var metric: Metric?
  /// The results of budgets on this metric.
  var budgets: [BudgetResult]
  /// Trends by percentile rank (50, 90, 95 for a distribution). Rank 0 has the value of other kinds.
  var trends: [Int: [TrendPoint]]
  /// Trends of further statistics that budgets limit, by name: `mean`, `p99`.
  var budgetTrends: [String: [TrendPoint]]
  /// The trend of all releases together, of the statistic that the budget limits; empty if the numbers are of all.
  var trendOfAll: [TrendPoint] = []
  /// First day of each release in the window, oldest first.
  var releaseMarkers: [ReleaseMarker]
  /// The histogram of the values; empty for a metric that is not a distribution.
  var distribution: [DistributionBar]
  var byRelease: [Breakdown]
  var byDeviceClass: [Breakdown]
  var bySystem: [Breakdown]
  var byDevice: [Breakdown]
  var byLabel: [Breakdown]
  /// By the values of the app's attribute; empty without one.
  var byAttribute: [Breakdown]
  /// App Store Connect's numbers of the metric; empty if none were imported.
  var appStore = AppStoreModel()
  var asOf: Timestamp

  init(
    app: String, window: Window, slice: Slice, environmentNote: String? = nil, report: MetricReport, metric: Metric?,
    budgets: [BudgetResult], trends: [Int: [TrendPoint]], budgetTrends: [String: [TrendPoint]] = [:],
    releaseMarkers: [ReleaseMarker],
    distribution: [DistributionBar], byRelease: [Breakdown], byDeviceClass: [Breakdown] = [],
    bySystem: [Breakdown] = [], byDevice: [Breakdown], byLabel: [Breakdown],
    byAttribute: [Breakdown] = [], asOf: Timestamp
  ) {
    self.app = app
    self.window = window
    self.slice = slice
    self.environmentNote = environmentNote
    self.report = report
    self.metric = metric
    self.budgets = budgets
    self.trends = trends
    self.budgetTrends = budgetTrends
    self.releaseMarkers = releaseMarkers
    self.distribution = distribution
    self.byRelease = byRelease
    self.byDeviceClass = byDeviceClass
    self.bySystem = bySystem
    self.byDevice = byDevice
    self.byLabel = byLabel
    self.byAttribute = byAttribute
    self.asOf = asOf
  }
}

extension MetricModel: TableConvertible {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("title", .string(report.title)), ("metric", report.json), ("budgets", .array(budgets.map(\.json))),
      ("trends", .object(namedTrends.map { ($0.name, .array($0.points.map(\.json))) })),
      ("release_markers", .array(releaseMarkers.map(\.json))), ("distribution", .array(distribution.map(\.json))),
      ("by_release", .array(byRelease.map(\.json))), ("by_device_class", .array(byDeviceClass.map(\.json))),
      ("by_os", .array(bySystem.map(\.json))), ("by_device", .array(byDevice.map(\.json))),
      ("by_label", .array(byLabel.map(\.json))), ("by_attribute", .array(byAttribute.map(\.json))),
      ("app_store_connect", appStore.json),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// The trends: one row per statistic and point.
  public var table: CSVTable {
    let rows = namedTrends.flatMap { name, points in
      points.map { point in JSONOutput.object([("statistic", .string(name)), ("point", point.json)]) }
    }
    return CSVTable(
      columns: ["statistic"] + TrendPoint.columns.map { "point.\($0)" }, rows: rows)
  }

  public func table(_ name: DataTable) -> CSVTable? {
    let parts: CSVTable.Parts = [
      ("release", byRelease), ("device_class", byDeviceClass), ("os", bySystem), ("device", byDevice),
      ("label", byLabel), ("attribute", byAttribute),
    ]
    switch name {
    case .distribution: return CSVTable(columns: ["low", "high", "count"], rows: distribution.map(\.json))
    case .parts: return .parts(parts)
    case .courses: return .courses(parts)
    case .trend: return nil
    }
  }

  private var namedTrends: [(name: String, points: [TrendPoint])] {
    trends.sorted { $0.key < $1.key }.map { (Self.name(of: $0.key), $0.value) }
      + budgetTrends.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The name of a trend: `p90`; `value` for rank 0.
  private static func name(of rank: Int) -> String { rank == 0 ? "value" : "p\(rank)" }
}
