/// How a positive number is turned into the index of the bin that counts it.
///
/// The logarithmic bins are those of OpenTelemetry's base-2 exponential histogram at scale 6: index i covers
/// (2^(i/64), 2^((i+1)/64)], so a bin's `value` is within 0.55 % of everything in it.
/// See https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
public enum BinScheme: UInt8, Sendable {
  case logarithmic = 0
  /// For counts: index i in 1...128 holds exactly the value i (samples are rounded to the nearest whole number); beyond
  /// 128 the logarithmic bins continue.
  case integer = 1
}

extension BinScheme {
  /// How far the index of a logarithmic bin above 128 = 2^7 lies above its index in the integer scheme.
  static let integerOffset = 7 * 64 - 1 - 128
  /// The last index that stands for one whole number in the integer scheme.
  static let lastInteger = 128

  /// The bin of a value above 0. In the integer scheme what rounds to 0 has index 0, which belongs to no bin.
  ///
  /// Exact: a power of two lies in the bin whose upper bound it is. Subnormal numbers share the lowest bin.
  public func index(of value: Double) -> Int32 {
    switch self {
    case .logarithmic: return Self.logarithmicIndex(value)
    case .integer:
      let whole = value.rounded()
      if whole <= Double(Self.lastInteger) { return whole > 0 ? Int32(whole) : 0 }
      return Self.logarithmicIndex(whole) - Int32(Self.integerOffset)
    }
  }

  private static func logarithmicIndex(_ value: Double) -> Int32 {
    let bits = value.bitPattern
    let exponent = Int32(truncatingIfNeeded: (bits >> 52) & 0x7ff)
    guard exponent > 0 else { return -1022 * 64 - 1 }
    let fraction = bits & 0xf_ffff_ffff_ffff
    let start = Int(BinEdges.starts[Int(truncatingIfNeeded: fraction >> 45)])
    let passed: Int32 = fraction > BinEdges.fractions[start + 1] ? 1 : 0
    return (exponent - 1023) << 6 + Int32(truncatingIfNeeded: start) + passed
  }
}
