/// Maps values to places along an axis.
struct LinearScale {
  var domain: (lower: Double, upper: Double)
  var range: (start: Double, end: Double)

  /// The place of `value`; outside the domain it lies on the nearer end. An empty domain has one place, the middle.
  func callAsFunction(_ value: Double) -> Double {
    let span = domain.upper - domain.lower
    guard span > 0, span.isFinite, !value.isNaN else { return (range.start + range.end) / 2 }
    let part = min(1, max(0, (value - domain.lower) / span))
    return range.start + part * (range.end - range.start)
  }
}
