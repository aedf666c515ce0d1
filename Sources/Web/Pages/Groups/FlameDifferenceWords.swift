import Analysis
import Core
import Storage

/// Numbers of a differential flame graph as text.
struct FlameDifferenceWords {
  var unit: FlameDifference.Unit

  /// The unit after a number.
  var unitText: String {
    switch unit {
    case .seconds: "s per 1,000 h"
    case .megabytes: "MB per 1,000 h"
    case .share: "% of the whole"
    }
  }

  func number(_ value: Double) -> String { Decimal.significant(unit == .share ? value * 100 : value) }

  /// The change with its 95 % interval: `+3.1 (1.2 to 5.0)`.
  func difference(_ estimate: Estimate) -> String {
    guard let value = estimate.value else { return Quantity.unknown }
    guard let low = estimate.low, let high = estimate.high else { return signed(value) }
    return "\(signed(value)) (\(signed(low)) to \(signed(high)))"
  }

  func signed(_ value: Double) -> String {
    let text = number(abs(value))
    return value < 0 ? "−\(text)" : "+\(text)"
  }

  /// `+4.2 points`, of the mean share of a diagnostic.
  func points(_ value: Double) -> String {
    let text = Decimal.significant(abs(value) * 100)
    return "\(value < 0 ? "−" : "+")\(text)\u{A0}points"
  }

  static func pValue(_ value: Double) -> String {
    value < 0.001 ? "< 0.001" : Decimal.fixed(value, value < 0.01 ? 3 : 2)
  }
}
