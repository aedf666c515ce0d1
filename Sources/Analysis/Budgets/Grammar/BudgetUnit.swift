import Core

/// The units that budgets may use: the units of native payloads, and rates.
enum BudgetUnit {
  /// The factor that converts a number with the unit `symbol` to `unit`; nil if they measure different quantities.
  static func factor(of symbol: String, into unit: MetricUnit) -> Double? {
    if let rate = rates[symbol] { return rate.unit == unit ? rate.factor : nil }
    return InputUnit(symbol: symbol)?.factor(into: unit)
  }

  /// The factor that converts between canonical units; nil if they measure different quantities.
  static func factor(from unit: MetricUnit, to other: MetricUnit) -> Double? {
    factor(of: unit.symbol, into: other)
  }

  /// The canonical unit for a metric outside the catalogue; nil for an unknown symbol.
  static func canonical(of symbol: String) -> MetricUnit? {
    symbol.isEmpty ? .count : rates[symbol]?.unit ?? InputUnit(symbol: symbol)?.canonical
  }

  static func mayBeOmitted(_ unit: MetricUnit) -> Bool {
    switch unit {
    case .count, .ratio, .bars, .averagePixelLuminance: true
    default: false
    }
  }

  /// A description of the units that may follow a number, for an error message.
  static func expectation(for unit: MetricUnit?) -> String {
    switch unit {
    case .milliseconds, .microseconds, .seconds: "a unit of time"
    case .bytes: "a unit of size"
    case .ratio, .percent: "%"
    case .count: "no unit, or count,"
    case .none: "a unit such as ms, MB or %"
    case .some(let unit): unit.symbol
    }
  }

  private static let rates: [String: (unit: MetricUnit, factor: Double)] = [
    "s/h": (.secondsPerHour, 1), "s/hour": (.secondsPerHour, 1), "ms/h": (.secondsPerHour, 1e-3),
    "min/h": (.secondsPerHour, 60), "hangs/h": (.hangsPerHour, 1), "hangs/hour": (.hangsPerHour, 1),
    "/h": (.hangsPerHour, 1), "per 1,000": (.perThousand, 1), "per 1000": (.perThousand, 1),
    "/1000": (.perThousand, 1),
  ]
}
