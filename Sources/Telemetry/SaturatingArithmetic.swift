/// Arithmetic that stops at the largest or smallest value. A hostile count, or a damaged row, must not end the process; and
/// since counts are never negative, saturated sums are the same in any order.
extension FixedWidthInteger {
  @inlinable package func saturatingAdd(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  @inlinable package func saturatingSubtract(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  @inlinable package func saturatingMultiply(_ other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

extension Int {
  /// The nearest representable whole number; 0 for NaN. `Int(_:)` ends the process on what it cannot hold.
  @inlinable package init(saturating value: Double) {
    // As a double `Int.max` is 2^63, which is one too many.
    self = value >= 0x1p63 ? .max : value < -0x1p63 ? .min : value.isNaN ? 0 : Int(value)
  }
}
