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

/// A unit that a client may write (`ns`, `KB`, `fps`), with its canonical unit and the factor between the two.
public struct InputUnit: Sendable {
  /// The canonical unit, in which values are stored.
  public let canonical: MetricUnit
  /// The factor from the written unit to the canonical one.
  public let factor: Double

  /// Looks up a unit's symbol as the native format spells it; nil for an unknown one.
  public init?(symbol: String) {
    guard let found = Self.table[symbol] else { return nil }
    self = found
  }

  /// The factor that turns a value in this unit into `unit`; nil when the two measure different quantities.
  public func factor(into unit: MetricUnit) -> Double? {
    if canonical == unit { return factor }
    guard let here = Self.microsecondsPerUnit[canonical], let there = Self.microsecondsPerUnit[unit] else {
      return Self.shareFactor(from: canonical, into: unit).map { $0 * factor }
    }
    return factor * here / there
  }

  /// Every accepted symbol, in the order documentation lists them.
  public static let symbols = [
    "ns", "µs", "us", "ms", "s", "min", "h", "B", "KB", "kB", "MB", "GB", "KiB", "MiB", "%", "ratio", "fps", "count",
    "ms/s", "bars", "apl",
  ]

  private init(_ canonical: MetricUnit, _ factor: Double) {
    self.canonical = canonical
    self.factor = factor
  }

  private static let table: [String: InputUnit] = [
    "ns": .init(.milliseconds, 1e-6), "µs": .init(.milliseconds, 1e-3), "μs": .init(.milliseconds, 1e-3),
    "us": .init(.milliseconds, 1e-3), "ms": .init(.milliseconds, 1), "s": .init(.seconds, 1),
    "min": .init(.seconds, 60), "h": .init(.seconds, 3600), "B": .init(.bytes, 1), "KB": .init(.bytes, 1e3),
    "kB": .init(.bytes, 1e3), "MB": .init(.bytes, 1e6), "GB": .init(.bytes, 1e9), "KiB": .init(.bytes, 1024),
    "MiB": .init(.bytes, 1_048_576), "%": .init(.percent, 1), "ratio": .init(.ratio, 1),
    "fps": .init(.framesPerSecond, 1), "count": .init(.count, 1), "ms/s": .init(.millisecondsPerSecond, 1),
    "bars": .init(.bars, 1), "apl": .init(.averagePixelLuminance, 1),
  ]

  /// Integers, so that the quotient of two is exact: 1e-3 / 1e-6 is 1000.0000000000001.
  private static let microsecondsPerUnit: [MetricUnit: Double] = [.microseconds: 1, .milliseconds: 1e3, .seconds: 1e6]

  private static func shareFactor(from: MetricUnit, into: MetricUnit) -> Double? {
    switch (from, into) {
    case (.percent, .ratio): 0.01
    case (.ratio, .percent): 100
    default: nil
    }
  }
}
