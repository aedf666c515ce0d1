/// The canonical unit in which a metric's values are stored.
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
  /// Milliseconds of hitch time per second.
  case millisecondsPerSecond = 8
  case bars = 9
  case averagePixelLuminance = 10
  case percent = 11
  case perThousand = 12
  case hangsPerHour = 13
  case secondsPerHour = 14

  /// The symbol of the unit: `ms`, `B`, `fps`, `count`.
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

  /// The number of fixed-point steps per canonical unit (1 ms = 1,000 steps). Sums are stored as integers of such
  /// steps, so that the order of merging does not change the result.
  public var stepsPerUnit: Double {
    switch self {
    case .bytes, .count: 1
    case .ratio: 1_000_000
    default: 1000
    }
  }
}
