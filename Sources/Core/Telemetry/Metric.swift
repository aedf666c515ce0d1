/// One metric of the catalogue: its name, unit, kind, default budget and advice.
public struct Metric: Sendable, Hashable {
  /// The kind of data in a metric's stored rows, which determines the numbers that can be read from them.
  public enum Kind: String, Sendable, CaseIterable {
    /// A distribution: histograms of values, read as percentiles.
    case distribution
    /// A ratio: k of n, such as crashed sessions of all.
    case ratio
    /// A counter: a sum per window, such as the bytes written.
    case counter
    /// A rate: a sum divided by another sum, such as hangs per hour of use.
    case rate
  }

  /// The meaning of one sample of a distribution.
  public enum Weight: String, Sendable, CaseIterable {
    /// One event: every launch, hang or request counts once.
    case event
    /// One device on one day, as MetricKit reports peak memory.
    case deviceDay = "device_day"
  }

  /// Whether lower or higher values are better.
  public enum Direction: String, Sendable, CaseIterable {
    case lower
    case higher
  }

  /// The metric's number in stored records. Never reused, never changed.
  public let number: UInt16
  /// The metric's name in budgets and the API, such as `launch.first_draw`.
  public let name: String
  /// The metric's name on pages, such as `Launch to first draw`.
  public let title: String
  public let unit: MetricUnit
  public let kind: Kind
  public let weight: Weight
  public let direction: Direction
  /// What the metric's labels name, such as `screen` or `host`; nil when it has no labels.
  public let labelledBy: String?
  /// MetricKit's JSON key, or the computation from MetricKit's values; nil when MetricKit does not report the metric.
  public let metricKit: String?
  /// The default budget in the grammar of the budget file, without the metric's name: `p90 <= 2 s`; nil when not set.
  public let budget: String?
  /// Advice for a broken budget: what to investigate first.
  public let advice: String?
  /// The guide that explains the metric, such as `launch` or `hangs`; nil when there is none.
  public let guide: String?

  init(
    _ number: UInt16, _ name: String, _ title: String, _ unit: MetricUnit, _ kind: Kind = .distribution,
    weight: Weight = .event, direction: Direction = .lower, by label: String? = nil, metricKit: String? = nil,
    budget: String? = nil, advice: String? = nil, guide: String? = nil
  ) {
    self.number = number
    self.name = name
    self.title = title
    self.unit = unit
    self.kind = kind
    self.weight = weight
    self.direction = direction
    self.labelledBy = label
    self.metricKit = metricKit
    self.budget = budget
    self.advice = advice
    self.guide = guide
  }
}
