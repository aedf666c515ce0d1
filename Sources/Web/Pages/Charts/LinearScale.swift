import Analysis
import Core

/// Maps values linearly to positions along an axis.
struct LinearScale {
  var domain: (lower: Double, upper: Double)
  var range: (start: Double, end: Double)

  /// The position of `value`. Values outside the domain are at its nearer end; an empty domain maps to the middle.
  func callAsFunction(_ value: Double) -> Double {
    let span = domain.upper - domain.lower
    guard span > 0, span.isFinite, !value.isNaN else { return (range.start + range.end) / 2 }
    let part = min(1, max(0, (value - domain.lower) / span))
    return range.start + part * (range.end - range.start)
  }
}
