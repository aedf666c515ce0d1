import Core
package import Storage

/// Formats numbers for display: `1,390`, `1.39`. It uses no locale, so all readers see the same page.
package enum Decimal {
  /// `value` with exactly `digits` decimals, rounded half away from zero; beyond 10¹⁵ in Swift's default format.
  package static func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite else { return "–" }
    let scale = powerOfTen(digits)
    let scaled = (value.magnitude * scale).rounded()
    guard scaled < 1e15 else { return "\(value)" }
    let whole = Int(scaled) / Int(scale)
    let fraction = String(Int(scaled) % Int(scale))
    let sign = value < 0 && scaled > 0 ? "−" : ""
    guard digits > 0 else { return sign + grouped(whole) }
    return sign + grouped(whole) + "." + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
  }

  /// `value` with three significant digits: `139`, `13.9`, `1.39`, `0.14`.
  package static func significant(_ value: Double) -> String { fixed(value, decimals(value)) }

  /// The number of decimals that gives three significant digits after rounding: one for 9.996, which becomes 10.0.
  package static func decimals(_ value: Double) -> Int {
    let magnitude = value.magnitude
    return magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : magnitude >= 0.0995 || magnitude == 0 ? 2 : 3
  }

  /// The number of decimals needed to write `value` exactly: 0 for 2, 2 for 16.67.
  package static func decimalsNeeded(_ value: Double, atMost limit: Int) -> Int {
    var scaled = value
    var digits = 0
    while digits < limit, (scaled - scaled.rounded()).magnitude > 1e-6 {
      scaled *= 10
      digits += 1
    }
    return digits
  }

  /// An integer with thousands separators: `12,480`.
  package static func grouped(_ value: Int) -> String {
    let digits = String(value.magnitude)
    var bytes: [UInt8] = []
    for (index, digit) in digits.utf8.enumerated() {
      if index > 0, (digits.utf8.count - index).isMultiple(of: 3) { bytes.append(UInt8(ascii: ",")) }
      bytes.append(digit)
    }
    return (value < 0 ? "−" : "") + String(decoding: bytes, as: UTF8.self)
  }

  /// The shortest text that equals `value` exactly, for tooltips: `1390.25`.
  static func exact(_ value: Double) -> String {
    guard value.magnitude < 1e15, value == value.rounded() else { return "\(value)" }
    return String(Int(value))
  }

  private static func powerOfTen(_ digits: Int) -> Double {
    (0..<max(0, min(9, digits))).reduce(1.0) { power, _ in power * 10 }
  }
}

/// The unit and the number of decimals for a number and both ends of its interval, so that they are easy to compare.
/// The last digit shown is at most a fifth of the interval's width.
struct Precision: Equatable {
  let reading: DisplayUnit
  let decimals: Int

  /// `value`: nil for an interval alone; `low`, `high`: nil without a bound.
  init(_ value: Double?, _ low: Double?, _ high: Double?, _ unit: MetricUnit) {
    let known = [value, low, high].compactMap { $0 }.filter(\.isFinite)
    // The largest number decides the unit: 960 ms between 850 ms and 1.10 s is 0.96 s.
    reading = DisplayUnit.best(for: known.max { $0.magnitude < $1.magnitude } ?? 0, unit)
    let factor = reading.factor
    func scaled(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 / factor : nil } }
    if unit == .bytes, factor == 1 {
      decimals = 0
    } else {
      decimals = Self.decimals(
        scaled(value), scaled(low), scaled(high), whole: unit == .ratio || unit == .percent ? 100 : nil)
    }
  }

  /// The decimals of a number and its interval, at most three. `whole`: the value that means all, 100 for percentages;
  /// a number that is only near `whole` or 0 must not be rounded to it. `steps`: the minimum number of steps of the
  /// last digit from one end to the other.
  static func decimals(
    _ value: Double?, _ low: Double?, _ high: Double?, whole: Double? = nil, steps: Double = 5
  ) -> Int {
    let known = [value, low, high].compactMap { $0 }
    var digits = known.map(Decimal.decimals).min() ?? 0
    if let low, let high, high > low {
      digits = (0..<most).first { step($0) <= (high - low) / steps } ?? most
      // A wide interval leaves at least two significant digits.
      if let value { digits = max(digits, decimals(ofTwoDigits: distance(value, whole))) }
    } else if let whole {
      digits = known.map { decimals(ofPercentage: distance($0, whole)) }.max() ?? 0
    }
    while digits < most, let whole, known.contains(where: { isRoundedAway($0, whole, digits) }) { digits += 1 }
    return digits
  }

  private static let most = 3
  private static func step(_ digits: Int) -> Double { [1, 0.1, 0.01, 0.001][min(digits, most)] }

  /// The distance of a value from 0 or `whole`, whichever is nearer.
  private static func distance(_ value: Double, _ whole: Double?) -> Double {
    min(value.magnitude, whole.map { ($0 - value).magnitude } ?? .infinity)
  }

  private static func decimals(ofTwoDigits value: Double) -> Int {
    value < 1e-9 ? 0 : value >= 9.95 ? 0 : value >= 0.995 ? 1 : value >= 0.0995 ? 2 : 3
  }

  private static func decimals(ofPercentage distance: Double) -> Int {
    distance < 1e-9 ? 0 : distance >= 2.995 ? 1 : distance >= 0.0995 ? 2 : 3
  }

  private static func isRoundedAway(_ value: Double, _ whole: Double, _ digits: Int) -> Bool {
    let distance = distance(value, whole)
    return distance > 1e-9 && distance < step(digits) / 2
  }
}

/// Formats durations for display.
package enum Elapsed {
  /// A duration in minutes as text: `4 min`, `26 h`, `3 days`.
  package static func text(minutes: Double) -> String {
    guard minutes >= 1 else { return "less than a minute" }
    if minutes < 120 { return "\(Decimal.fixed(minutes, 0))\u{A0}min" }
    if minutes < 3 * 1440 { return "\(Decimal.fixed(minutes / 60, 0))\u{A0}h" }
    return "\(Decimal.fixed(minutes / 1440, 0))\u{A0}days"
  }
}

extension Window {
  /// `2026-11-01 to 2026-11-28`; a single day as itself.
  package var text: String { from == to ? from.iso : "\(from.iso) to \(to.iso)" }
}
