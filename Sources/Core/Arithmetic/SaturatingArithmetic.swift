/// Arithmetic that saturates at the largest or smallest value, because a hostile count or a damaged row must not trap.
/// Sums of counts, which are never negative, saturate to the same value in any order.
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
  /// The nearest representable integer; 0 for NaN. `Int(_:)` would trap on values it cannot hold.
  @inlinable package init(saturating value: Double) {
    // As a double `Int.max` is 2^63, which is one too many.
    self = value >= 0x1p63 ? .max : value < -0x1p63 ? .min : value.isNaN ? 0 : Int(value)
  }
}
