package import Core

/// The unit in which a number is displayed: 1,390 ms is displayed as 1.39 s.
package struct DisplayUnit: Equatable {
  /// The size of this unit in the metric's own unit: 1,000 for seconds if that is milliseconds.
  package var factor: Double
  /// The value, in the metric's own unit, from which this unit is used instead of a smaller one.
  var threshold: Double
  var symbol: String

  init(_ factor: Double, _ symbol: String, from threshold: Double? = nil) {
    self.factor = factor
    self.threshold = threshold ?? factor
    self.symbol = symbol
  }

  /// The text after a number: the symbol with a non-breaking space.
  package var suffix: String { symbol.isEmpty ? "" : "\u{A0}" + symbol }

  /// The unit to display `value` in.
  package static func best(for value: Double, _ unit: MetricUnit) -> Self {
    let ladder = ladder(unit)
    // 999.6 ms would round to 1000 ms, so it is displayed as 1.00 s.
    return ladder.last { value.magnitude >= $0.threshold * 0.9995 } ?? ladder[0]
  }

  private static func ladder(_ unit: MetricUnit) -> [Self] {
    switch unit {
    case .microseconds: [Self(1, "µs"), Self(1000, "ms"), Self(1e6, "s")]
    case .milliseconds: [Self(1, "ms"), Self(1000, "s"), Self(60_000, "min", from: 120_000)]
    case .seconds: [Self(1, "s"), Self(60, "min", from: 120), Self(3600, "h", from: 7200)]
    case .bytes: [Self(1, "B"), Self(1e3, "KB"), Self(1e6, "MB"), Self(1e9, "GB"), Self(1e12, "TB")]
    case .count: [Self(1, ""), Self(1e6, "million"), Self(1e9, "billion"), Self(1e12, "trillion")]
    case .ratio: [Self(0.01, "%")]
    default: [Self(1, unit.symbol)]
    }
  }
}
