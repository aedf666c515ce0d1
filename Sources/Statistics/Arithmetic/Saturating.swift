/// Arithmetic that stops at the largest or smallest value. A hostile count must not end the process, and since counts
/// are never negative, saturated sums are still the same in any order.
extension FixedWidthInteger {
  func saturatingAdd(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  func saturatingSubtract(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  func saturatingMultiply(_ other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

extension Int {
  /// The nearest representable whole number; 0 for NaN. `Int(_:)` ends the process on what it cannot hold.
  init(saturating value: Double) {
    // As a double `Int.max` is 2^63, which is one too many.
    self = value >= 0x1p63 ? .max : value < -0x1p63 ? .min : value.isNaN ? 0 : Int(value)
  }
}

/// The nearest whole number of steps, at most `Int64.max`. `value` is not negative.
func fixedPoint(_ value: Double, stepsPerUnit: Double, count: Int) -> Int64 {
  let steps = (value * stepsPerUnit).rounded()
  guard steps < 9.2e18 else { return .max }
  guard steps > 0 else { return 0 }
  return Int64(steps).saturatingMultiply(Int64(count))
}
