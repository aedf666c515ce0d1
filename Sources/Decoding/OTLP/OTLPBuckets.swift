internal import OTLPMessages
internal import Telemetry

/// The buckets of a histogram point in canonical units, and what is known exactly of the values in them.
struct OTLPBuckets {
  var value: Measurement.Value
  /// Values that are kept.
  var count = 0
  /// Values below 0, which are not.
  var negative = 0

  /// A bucket's count, as far as one can be believed.
  static func count(_ count: UInt64) throws(OTLPRefusal) -> Int {
    guard count <= UInt64(Limits.count) else { throw OTLPRefusal("a bucket counts more than 10^12 values") }
    return Int(count)
  }

  /// An edge in canonical units.
  static func edge(_ edge: Double, _ factor: Double) throws(OTLPRefusal) -> Double {
    let scaled = max(0, edge) * factor
    guard edge == .infinity || scaled <= Limits.value else {
      throw OTLPRefusal("a bound lies beyond 10^15 in the metric's own unit, or is no number")
    }
    return scaled
  }

  /// Exact numbers hold for all values or for none: with values left out, or a count that is not that of the buckets,
  /// there are none.
  func extent(
    count: UInt64, sum: Double?, minimum: Double?, maximum: Double?, factor: Double
  ) -> Extent? {
    guard let sum, negative == 0, count == UInt64(self.count), sum >= 0, sum * factor <= Limits.sum else {
      return nil
    }
    func end(_ value: Double?) -> Double? {
      value.flatMap { $0 >= 0 && $0 * factor <= Limits.value ? $0 * factor : nil }
    }
    return Extent(sum: sum * factor, minimum: end(minimum), maximum: end(maximum))
  }
}
