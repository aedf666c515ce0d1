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
  /// Where the judged release became worse than the one before it; nil for all releases together, for parts of the use,
  /// and if the releases cannot be compared.
  var causes: CauseList?
  /// Where it became worse in the last week than in the weeks before; nil unless it breaks its budget.
  var causesOfLastWeek: CauseList?
  /// App Store Connect's numbers of the metric; empty if none were imported.
  var appStore = AppStoreModel()
  /// What performance tests showed of the metric, beside the field.
  var lab = LabAndField()
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
  static let fields = Fields<Self>("MetricDetail", "The data shown on a metric's page.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field("title", \.report.title)
    Field("metric", \.report)
    Field("budgets", \.budgets)
    Field(
      "trends", { NamedValues($0.namedTrends) },
      "Trends over the window: `p50`, `p90`, `p95` of a distribution and other statistics that budgets limit; `value` "
        + "of other kinds.")
    Field("release_markers", \.releaseMarkers, "The first day of each release within the window.")
    Field(
      "distribution", \.distribution,
      "The number of values from `low` up to `high`; empty for other kinds. The last bar may be open-ended.")
    Field(
      "causes", \.causes,
      "Where the metric of the release became worse than on the release before it; null without a release, and for a part "
        + "of its use.")
    Field(
      "causes_of_last_week", \.causesOfLastWeek,
      "Where it became worse in the last week than in the three weeks before; null unless it breaks its budget.")
    Field("by_release", \.byRelease)
    Field("by_device_class", \.byDeviceClass)
    Field("by_os", \.bySystem)
    Field("by_device", \.byDevice)
    Field("by_label", \.byLabel)
    Field("by_attribute", \.byAttribute)
    Field("app_store_connect", \.appStore.figures)
    Field("app_store_goals", \.appStore.notes.goals)
    Field("app_store_insights", \.appStore.notes.insights)
    Field("app_store_signatures", \.appStore.notes.signatures)
    Field("app_store_gaps", \.appStore.gaps)
    Field("lab", \.lab)
  }

  /// The trends: one row per statistic and point.
  public static let table = AnswerTable<Self> { metric in
    metric.namedTrends.flatMap { name, points in points.map { StatisticPoint(statistic: name, point: $0) } }
  }
  public static let tables: [AnswerTableName: AnswerTable<Self>] = [
    .distribution: AnswerTable(\.distribution), .parts: .parts(\.parts), .courses: .courses(\.parts),
    .causes: .causes { [$0.causes, $0.causesOfLastWeek] }, .lab: AnswerTable(\.lab.pairs),
  ]

  private var parts: [(dimension: String, rows: [Breakdown])] {
    [
      ("release", byRelease), ("device_class", byDeviceClass), ("os", bySystem), ("device", byDevice),
      ("label", byLabel), ("attribute", byAttribute),
    ]
  }

  private var namedTrends: [(String, [TrendPoint])] {
    trends.sorted { $0.key < $1.key }.map { (Self.name(of: $0.key), $0.value) }
      + budgetTrends.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The name of a trend: `p90`; `value` for rank 0.
  private static func name(of rank: Int) -> String { rank == 0 ? "value" : "p\(rank)" }
}

/// A point of the trend of one statistic.
private struct StatisticPoint: APIObject {
  let statistic: String
  let point: TrendPoint

  static let fields = Fields<Self> {
    Field("statistic", \.statistic)
    Field("point", \.point)
  }
}
