public import Core

/// One row of a breakdown by release, device, label or another dimension.
public struct Breakdown: Sendable, Equatable {
  /// The member of the dimension: `4.2.0 (1234)`, `iPhone15,2`, `CartView`.
  public var key: String
  /// The text for display: a device's marketing name if known, otherwise the key.
  public var title: String
  public var report: MetricReport
  /// The verdict on the metric's first budget; nil without a budget.
  public var verdict: Verdict?
  /// The trend of the statistic that the budget limits, otherwise of the median; empty unless requested.
  public var trend: [TrendPoint] = []
}

extension Breakdown: APIObject {
  public static let fields = Fields<Self>("Breakdown", "One release, device class, OS version, device or label.") {
    Field("key", \.key)
    Field("title", \.title)
    Field("verdict", \.verdict)
    Field("metric", \.report)
    Field(
      "trend", \.trend,
      "The trend of the statistic that the budget limits, otherwise of the median; only for the first rows.")
  }
}
