import Core

/// The unit and the decimals in which a number and both ends of its interval are written, so that they can be compared
/// at a glance. The interval's width decides: its last digit is a fifth of it at most.
struct Precision: Equatable {
  let reading: DisplayUnit
  let decimals: Int

  /// `value`: nil for an interval alone; `low`, `high`: nil where there is no bound.
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

  /// The decimals of a number and its interval, at most three. `whole`: the value that stands for all, 100 of
  /// percentages: neither it nor 0 may stand for a number that is only near. `steps`: the fewest steps of the last digit
  /// from one end to the other.
  static func decimals(
    _ value: Double?, _ low: Double?, _ high: Double?, whole: Double? = nil, steps: Double = 5
  ) -> Int {
    let known = [value, low, high].compactMap { $0 }
    var digits = known.map(Decimal.decimals).min() ?? 0
    if let low, let high, high > low {
      digits = (0..<most).first { step($0) <= (high - low) / steps } ?? most
      // A wide interval leaves the number two digits that count.
      if let value { digits = max(digits, decimals(ofTwoDigits: distance(value, whole))) }
    } else if let whole {
      digits = known.map { decimals(ofPercentage: distance($0, whole)) }.max() ?? 0
    }
    while digits < most, let whole, known.contains(where: { isRoundedAway($0, whole, digits) }) { digits += 1 }
    return digits
  }

  private static let most = 3
  private static func step(_ digits: Int) -> Double { [1, 0.1, 0.01, 0.001][min(digits, most)] }

  /// How far a value is from 0, or from all, if that is nearer.
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
