package import Health
package import Telemetry

/// Formats a number in a metric's unit for display: `1.39 s`, `212 MB`, `99.62 %`. Unknown values are `–`, never 0.
package enum Quantity {
  package static let unknown = "–"

  /// A value as text. `isAtLeast`: the value is a lower bound and is shown as `≥ 9 s`.
  package static func text(_ value: Double?, _ unit: MetricUnit, isAtLeast: Bool = false) -> String {
    guard let value, value.isFinite else { return unknown }
    let reading = DisplayUnit.best(for: value, unit)
    return (isAtLeast ? "≥\u{A0}" : "") + number(value, reading, unit) + reading.suffix
  }

  package static func text(_ estimate: Estimate?, _ unit: MetricUnit) -> String {
    text(estimate?.value, unit, isAtLeast: estimate?.isAtLeast ?? false)
  }

  /// The exact number in the metric's own unit, for tooltips: `1390.25 ms`. Nil if it is unknown.
  package static func exact(_ value: Double?, _ unit: MetricUnit) -> String? {
    guard let value, value.isFinite else { return nil }
    return unit == .ratio || unit == .count ? Decimal.exact(value) : "\(Decimal.exact(value)) \(unit.symbol)"
  }

  /// An interval as text: `1.31–1.47 s`; `≥ 1.31 s` without an upper bound, `–` without any.
  package static func interval(_ low: Double?, _ high: Double?, _ unit: MetricUnit) -> String {
    switch (low.flatMap(finite), high.flatMap(finite)) {
    case (nil, nil): return unknown
    case (let low?, nil): return "≥\u{A0}" + text(low, unit)
    case (nil, let high?): return "≤\u{A0}" + text(high, unit)
    case (let low?, let high?):
      let reading = DisplayUnit.best(for: high, unit)
      let texts = pair(low, high, reading, unit)
      return texts.0 == texts.1 ? texts.0 + reading.suffix : "\(texts.0)–\(texts.1)\(reading.suffix)"
    }
  }

  package static func interval(_ estimate: Estimate, _ unit: MetricUnit) -> String {
    interval(estimate.low, estimate.high, unit)
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

  /// The ends of an interval of shares, with as many decimals as its width needs, and more if an end would be rounded
  /// to 0 or 100 %.
  private static func pair(
    _ low: Double, _ high: Double, _ reading: DisplayUnit, _ unit: MetricUnit
  ) -> (String, String) {
    let digits = high - low >= 0.05 ? 1 : 2
    let margin = digits == 1 ? 0.0005 : 0.00005
    if unit == .ratio, high - low >= 0.001, high <= 1 - margin, low >= margin {
      return (Decimal.fixed(low * 100, digits), Decimal.fixed(high * 100, digits))
    }
    return (number(low, reading, unit), number(high, reading, unit))
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

  /// A percentage. It has more decimals near 0 and 100: 99.996 % must not become 100 %.
  private static func percent(_ value: Double) -> String {
    let distance = min(value.magnitude, (100 - value).magnitude)
    // In binary, 1 − 0.995 is not exactly 0.005.
    if distance < 1e-9 { return Decimal.fixed(value, 0) }
    if distance < 0.0005 { return value > 50 ? ">\u{A0}99.999" : "<\u{A0}0.001" }
    return Decimal.fixed(value, distance >= 2.995 ? 1 : distance >= 0.0995 ? 2 : 3)
  }
}

/// Numbers of bytes as people read them.
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
