/// One entry of the catalogue: what a number is called, how it is measured, judged and mended.
public struct Metric: Sendable, Hashable {
  /// What the stored rows of a metric hold, and therefore which numbers can be read from them.
  public enum Kind: String, Sendable {
    /// Percentiles of values.
    case distribution
    /// k of n.
    case ratio
    /// A sum per window.
    case counter
    /// A sum over another sum, such as hangs per hour of use.
    case rate
  }

  /// What one sample of a distribution stands for.
  public enum Weight: String, Sendable {
    /// Every launch, hang or request counts once.
    case event
    /// One number per device and day, as MetricKit reports peak memory.
    case deviceDay = "device_day"
  }

  /// Which way is good.
  public enum Direction: String, Sendable {
    case lower
    case higher
  }

  /// The number records use for this metric. Never reused, never changed.
  public let number: UInt16
  /// `launch.first_draw`
  public let name: String
  /// What people read: `Launch to first draw`.
  public let title: String
  public let unit: MetricUnit
  public let kind: Kind
  public let weight: Weight
  public let direction: Direction
  /// What its labels name: `screen`, `host`; nil when it has none.
  public let labelledBy: String?
  /// Where MetricKit reports it; nil when it does not.
  public let metricKit: String?
  /// The default budget in the grammar of the budget file, without the metric's name: `p90 <= 2 s`; nil for none.
  public let budget: String?
  /// What to open first when the budget breaks.
  public let advice: String?
  /// The family of guides it belongs to: `launch`, `hangs`; nil when there is no guide.
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

/// The canonical unit in which a metric's values are kept.
///
/// Raw values are stored in records and rows: never change one.
public enum MetricUnit: UInt8, Sendable, Hashable, CaseIterable {
  case milliseconds = 1
  case microseconds = 2
  case seconds = 3
  case bytes = 4
  case count = 5
  case ratio = 6
  case framesPerSecond = 7
  /// Hitch time per time: milliseconds per second.
  case millisecondsPerSecond = 8
  case bars = 9
  case averagePixelLuminance = 10
  case percent = 11
  case perThousand = 12
  case hangsPerHour = 13
  case secondsPerHour = 14

  /// The symbol written behind a value: `ms`, `B`, `fps`, empty for a count.
  public var symbol: String {
    switch self {
    case .milliseconds: "ms"
    case .microseconds: "µs"
    case .seconds: "s"
    case .bytes: "B"
    case .count: "count"
    case .ratio: "ratio"
    case .framesPerSecond: "fps"
    case .millisecondsPerSecond: "ms/s"
    case .bars: "bars"
    case .averagePixelLuminance: "apl"
    case .percent: "%"
    case .perThousand: "per 1,000"
    case .hangsPerHour: "hangs/h"
    case .secondsPerHour: "s/h"
    }
  }

  /// Steps of the fixed-point integers in which sums are kept, per canonical unit (1 ms = 1,000 steps of 1 µs), so that
  /// merging in any order gives the same digits.
  public var stepsPerUnit: Double {
    switch self {
    case .bytes, .count: 1
    case .ratio: 1_000_000
    default: 1000
    }
  }
}
