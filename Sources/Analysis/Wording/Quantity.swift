package import Core

/// Formats a number in a metric's unit for display: `1.39 s`, `212 MB`, `99.62 %`. Unknown values are `–`, never 0.
package enum Quantity {
  package static let unknown = "–"

  /// A value as text. `isAtLeast`: the value is a lower bound and is shown as `≥ 9 s`.
  package static func text(_ value: Double?, _ unit: MetricUnit, isAtLeast: Bool = false) -> String {
    guard let value, value.isFinite else { return unknown }
    let reading = DisplayUnit.best(for: value, unit)
    return (isAtLeast ? "≥\u{A0}" : "") + number(value, reading, unit) + reading.suffix
  }

  /// A number as text, with as many decimals as its interval needs.
  package static func text(_ estimate: Estimate?, _ unit: MetricUnit) -> String {
    guard let estimate, let value = estimate.value.flatMap(finite) else { return unknown }
    guard hasInterval(estimate) else { return text(value, unit, isAtLeast: estimate.isAtLeast) }
    let precision = Precision(value, estimate.low, estimate.high, unit)
    return (estimate.isAtLeast ? "≥\u{A0}" : "") + number(value, precision, unit) + precision.reading.suffix
  }

  /// A number shown with an estimate, such as one of its bounds, with the same unit and decimals.
  package static func text(_ value: Double, like estimate: Estimate, _ unit: MetricUnit) -> String {
    guard value.isFinite else { return unknown }
    guard hasInterval(estimate) else { return text(value, unit) }
    let precision = Precision(estimate.value, estimate.low, estimate.high, unit)
    return number(value, precision, unit) + precision.reading.suffix
  }

  /// The exact number in the metric's unit, for tooltips: `1390.25 ms`; nil if unknown.
  package static func exact(_ value: Double?, _ unit: MetricUnit) -> String? {
    guard let value, value.isFinite else { return nil }
    return unit == .ratio || unit == .count ? Decimal.exact(value) : "\(Decimal.exact(value)) \(unit.symbol)"
  }

  /// An interval as text: `1.31–1.47 s`; `≥ 1.31 s` without an upper bound, `–` without bounds. `value`: the number
  /// that the interval belongs to, which has the same unit and decimals; nil for an interval alone.
  package static func interval(
    _ low: Double?, _ high: Double?, _ unit: MetricUnit, of value: Double? = nil
  ) -> String {
    let precision = Precision(value.flatMap(finite), low, high, unit)
    func end(_ value: Double) -> String { number(value, precision, unit) }
    let suffix = precision.reading.suffix
    switch (low.flatMap(finite), high.flatMap(finite)) {
    case (nil, nil): return unknown
    case (let low?, nil): return "≥\u{A0}" + end(low) + suffix
    case (nil, let high?): return "≤\u{A0}" + end(high) + suffix
    case (let low?, let high?): return end(low) == end(high) ? end(low) + suffix : "\(end(low))–\(end(high))\(suffix)"
    }
  }

  package static func interval(_ estimate: Estimate, _ unit: MetricUnit) -> String {
    interval(estimate.low, estimate.high, unit, of: estimate.value)
  }

  /// A budget's limit in the shortest exact form: `2 s`, `99.5 %`, `16.67 ms`.
  package static func limit(_ value: Double, _ unit: MetricUnit) -> String {
    guard value.isFinite else { return unknown }
    let reading = DisplayUnit.best(for: value, unit)
    let scaled = value / reading.factor
    return Decimal.fixed(scaled, Decimal.decimalsNeeded(scaled, atMost: 3)) + reading.suffix
  }

  /// A share, 0 to 1, as a percentage: `99.62 %`.
  package static func share(_ value: Double?) -> String { text(value, .ratio) }

  private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }

  private static func hasInterval(_ estimate: Estimate) -> Bool {
    estimate.low.flatMap(finite) != nil || estimate.high.flatMap(finite) != nil
  }

  private static func number(_ value: Double, _ precision: Precision, _ unit: MetricUnit) -> String {
    let scaled = value / precision.reading.factor
    let isShare = unit == .ratio || unit == .percent
    // Three decimals would still round to 0 or 100.
    return isShare
      ? extreme(scaled) ?? Decimal.fixed(scaled, precision.decimals)
      : Decimal.fixed(scaled, precision.decimals)
  }

  private static func number(_ value: Double, _ reading: DisplayUnit, _ unit: MetricUnit) -> String {
    switch unit {
    case .ratio: percent(value * 100)
    case .percent: percent(value)
    case .bytes where reading.factor == 1: Decimal.fixed(value, 0)
    case .count where reading.factor == 1 && value == value.rounded(): Decimal.fixed(value, 0)
    default: Decimal.significant(value / reading.factor)
    }
  }

  /// A percentage, with more decimals near 0 and 100: 99.996 % must not become 100 %.
  private static func percent(_ value: Double) -> String {
    if let extreme = extreme(value) { return extreme }
    return Decimal.fixed(value, Precision.decimals(value, nil, nil, whole: 100))
  }

  /// The text for a percentage that three decimals would round to 0 or 100; nil for others.
  private static func extreme(_ value: Double) -> String? {
    let distance = min(value.magnitude, (100 - value).magnitude)
    // In binary, 1 − 0.995 is not exactly 0.005.
    guard distance >= 1e-9, distance < 0.0005 else { return nil }
    return value > 50 ? ">\u{A0}99.999" : "<\u{A0}0.001"
  }
}

/// Formats numbers of bytes.
public enum ByteSize {
  /// A number of bytes with a binary unit: `1.5 GiB`.
  public static func text(_ bytes: Int) -> String {
    var (value, index) = (Double(bytes), 0)
    while abs(value) >= 1024, index + 1 < units.count { (value, index) = (value / 1024, index + 1) }
    let tenths = Int((value * 10).rounded())
    return abs(value) < 10 && index > 0
      ? "\(tenths / 10).\(abs(tenths % 10)) \(units[index])" : "\(Int(value)) \(units[index])"
  }

  private static let units = ["B", "KiB", "MiB", "GiB", "TiB"]
}

/// The unit in which a number is displayed: 1,390 ms is displayed as 1.39 s.
package struct DisplayUnit: Equatable {
  /// The size of this unit in the metric's unit: 1,000 for seconds if the metric's unit is milliseconds.
  package var factor: Double
  /// The value, in the metric's unit, from which this unit is used instead of a smaller one.
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
