public import Core
internal import Storage

/// The numbers of one metric over a window and slice.
public struct MetricReport: Sendable, Equatable {
  /// The metric's name: `launch.first_draw`.
  public var name: String
  /// The metric's title, `Launch to first draw`; its name for a metric outside the catalogue.
  public var title: String
  public var unit: MetricUnit
  public var kind: Metric.Kind
  public var weight: Metric.Weight
  /// The screen, host or view; nil for all labels together.
  public var label: String?
  /// The source of the data. Data of several sources that measure the same metric are never added.
  public var source: Source
  /// The sample size: the number of values of a distribution, or of events in the denominator of a ratio.
  public var n: Int = 0
  /// The number of payloads that contained the metric.
  public var payloads: Int = 0
  public var nEffective: Double?
  /// The relative error of a percentile's value due to the source's buckets; nil for other kinds.
  public var error: Double?
  public var sum: Double?
  public var minimum: Double?
  public var maximum: Double?
  public var mean: Double?
  /// True if sum, minimum and maximum were estimated from buckets instead of values.
  public var isEstimated: Bool = false
  /// The value of a ratio, rate or counter, with its interval; empty for a distribution.
  public var value: Estimate = .unknown
  public var numerator: Double?
  public var denominator: Double?
  /// Estimates by percentile rank: 10, 50, 75, 90, 95, 99. Empty for kinds other than distributions.
  public var percentiles: [Int: Estimate] = [:]

  /// The percentile ranks in every report on a distribution.
  public static let ranks = [10, 50, 75, 90, 95, 99]
}
