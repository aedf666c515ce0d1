public import Telemetry

/// One metric over a window and slice, with every number a page or the API shows.
public struct MetricReport: Sendable, Equatable {
  /// `launch.first_draw`
  public var name: String
  /// `Launch to first draw`; the name itself for a metric outside the catalogue.
  public var title: String
  public var unit: MetricUnit
  public var kind: Metric.Kind
  public var weight: Metric.Weight
  /// The screen, host or view; nil for all of them.
  public var label: String?
  /// Which source was used: sources that measure the same thing are never added.
  public var source: Source
  /// Values of a distribution, denominator events of a ratio.
  public var n: Int
  /// How many payloads carried it.
  public var payloads: Int
  public var nEffective: Double?
  /// The relative error of a percentile's value that comes from the source's buckets; nil for other kinds.
  public var error: Double?
  public var sum: Double?
  public var minimum: Double?
  public var maximum: Double?
  public var mean: Double?
  /// Sum, minimum and maximum come from buckets, not from values.
  public var isEstimated: Bool
  /// Of a ratio, rate or counter: the number itself, with its interval.
  public var value: Estimate
  public var numerator: Double?
  public var denominator: Double?
  /// Percentiles by rank in percent: 10, 50, 75, 90, 95, 99. Empty for other kinds.
  public var percentiles: [Int: Estimate]

  public init(
    name: String, title: String, unit: MetricUnit, kind: Metric.Kind, weight: Metric.Weight, label: String? = nil,
    source: Source, n: Int = 0, payloads: Int = 0, nEffective: Double? = nil, error: Double? = nil,
    sum: Double? = nil, minimum: Double? = nil, maximum: Double? = nil, mean: Double? = nil,
    isEstimated: Bool = false, value: Estimate = .unknown, numerator: Double? = nil, denominator: Double? = nil,
    percentiles: [Int: Estimate] = [:]
  ) {
    self.name = name
    self.title = title
    self.unit = unit
    self.kind = kind
    self.weight = weight
    self.label = label
    self.source = source
    self.n = n
    self.payloads = payloads
    self.nEffective = nEffective
    self.error = error
    self.sum = sum
    self.minimum = minimum
    self.maximum = maximum
    self.mean = mean
    self.isEstimated = isEstimated
    self.value = value
    self.numerator = numerator
    self.denominator = denominator
    self.percentiles = percentiles
  }

  /// The ranks every distribution is reported at, in percent.
  public static let ranks = [10, 50, 75, 90, 95, 99]
}
