package import Telemetry

/// The unit a number is read in: 1,390 ms is read as 1.39 s.
package struct DisplayUnit: Equatable {
  /// How many of the metric's own unit make one of this.
  package var factor: Double
  /// From which value on, in the metric's own unit, this unit reads better than the smaller one.
  package var threshold: Double
  package var symbol: String

  package init(_ factor: Double, _ symbol: String, from threshold: Double? = nil) {
    self.factor = factor
    self.threshold = threshold ?? factor
    self.symbol = symbol
  }

  /// What stands behind a number; the space keeps both on one line.
  package var suffix: String { symbol.isEmpty ? "" : "\u{A0}" + symbol }

  /// The unit in which a number of `value` reads best.
  package static func best(for value: Double, _ unit: MetricUnit) -> Self {
    let ladder = ladder(unit)
    // 999.6 ms would round to 1000 ms: it is read as 1.00 s.
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
