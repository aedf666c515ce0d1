/// The mapping from positive numbers to the bins that count them.
///
/// The logarithmic bins are those of OpenTelemetry's base-2 exponential histogram at scale 6: index i covers (2^(i/64),
/// 2^((i+1)/64)], so that a bin's `value` is within 0.55 % of every number in it. Source:
/// https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
public enum BinScheme: UInt8, Sendable {
  case logarithmic = 0
  /// Bins for counts: index i in 1...128 contains exactly the value i (samples are rounded to whole numbers).
  /// Logarithmic bins continue beyond 128.
  case integer = 1
}

extension BinScheme {
  /// A logarithmic bin's index minus its index in the integer scheme, for bins above 128 = 2^7.
  static let integerOffset = 7 * 64 - 1 - 128
  /// The last index of the integer scheme that is a whole number.
  static let lastInteger = 128
  /// The relative width of logarithmic bins, 2^(1/64) − 1: values that differ by less may share a bin.
  static let relativeWidth = 0.010889286005

  /// The bin of a value above 0. In the integer scheme a value that rounds to 0 has index 0, which is not a bin.
  ///
  /// The result is exact: a power of two is in the bin whose upper bound it is. Subnormal numbers share the lowest bin.
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

extension BinScheme {
  /// 2r/(1+r) for r = 2^(1/64): the factor from a bin's lower bound a to 2ab/(a+b), which has the same relative
  /// distance from both bounds.
  private static let middle = 1.0054151594159026

  /// The bounds of a bin, which contains (low, high]. In the integer scheme the bin of a whole number i up to 128 is (i
  /// - 1, i].
  func bounds(of index: Int32) -> (low: Double, high: Double) {
    if isWhole(index) { return (Double(max(1, index) - 1), Double(max(0, index))) }
    let number = logarithmicNumber(index)
    let largest = Double.greatestFiniteMagnitude
    return (min(BinEdges.edge(number), largest), min(BinEdges.edge(number + 1), largest))
  }

  /// The value that represents the samples in a bin: 2ab/(a+b) of its bounds, or the whole number itself.
  func value(of index: Int32) -> Double {
    if isWhole(index) { return Double(max(0, index)) }
    return min(BinEdges.edge(logarithmicNumber(index)) * Self.middle, .greatestFiniteMagnitude)
  }

  /// The indices that `index(of:)` can return for a sample.
  var indices: ClosedRange<Int32> {
    switch self {
    case .logarithmic: -1022 * 64 - 1...1024 * 64 - 1
    case .integer: 1...Int32(1024 * 64 - 1 - Self.integerOffset)
    }
  }

  /// Whether the bin contains exactly one whole number.
  func isWhole(_ index: Int32) -> Bool { self == .integer && index <= Self.lastInteger }

  private func logarithmicNumber(_ index: Int32) -> Int {
    self == .integer ? Int(index) + Self.integerOffset : Int(index)
  }
}

/// The edges 2^(n/64) of the base-2 scale-6 bins as doubles, rounded down, with a table that maps a fraction to its
/// bin.
///
/// 2^(j/64) is irrational for 0 < j < 64, so a double is above the true edge exactly when it is above the rounded one.
/// A comparison with this table is therefore exact, and an edge is the largest value of the bin below it.
enum BinEdges {
  /// The 52 fraction bits of 2^(j/64), rounded down: the integer 64th root of 2^(52·64 + j) minus 2^52. The last entry
  /// ends the search.
  static let fractions: [UInt64] = [
    0x0000000000000, 0x02c9a3e778060, 0x059b0d3158574, 0x0874518759bc8,
    0x0b5586cf9890f, 0x0e3ec32d3d1a2, 0x11301d0125b50, 0x1429aaea92ddf,
    0x172b83c7d517a, 0x1a35beb6fcb75, 0x1d4873168b9aa, 0x2063b88628cd6,
    0x2387a6e756238, 0x26b4565e27cdd, 0x29e9df51fdee1, 0x2d285a6e4030b,
    0x306fe0a31b715, 0x33c08b26416ff, 0x371a7373aa9ca, 0x3a7db34e59ff6,
    0x3dea64c123422, 0x4160a21f72e29, 0x44e086061892d, 0x486a2b5c13cd0,
    0x4bfdad5362a27, 0x4f9b2769d2ca6, 0x5342b569d4f81, 0x56f4736b527da,
    0x5ab07dd485429, 0x5e76f15ad2148, 0x6247eb03a5584, 0x6623882552224,
    0x6a09e667f3bcc, 0x6dfb23c651a2e, 0x71f75e8ec5f73, 0x75feb564267c8,
    0x7a11473eb0186, 0x7e2f336cf4e62, 0x82589994cce12, 0x868d99b4492ec,
    0x8ace5422aa0db, 0x8f1ae99157736, 0x93737b0cdc5e4, 0x97d829fde4e4f,
    0x9c49182a3f090, 0xa0c667b5de564, 0xa5503b23e255c, 0xa9e6b5579fdbf,
    0xae89f995ad3ad, 0xb33a2b84f15fa, 0xb7f76f2fb5e46, 0xbcc1e904bc1d2,
    0xc199bdd85529c, 0xc67f12e57d14b, 0xcb720dcef9069, 0xd072d4a07897b,
    0xd5818dcfba487, 0xda9e603db3285, 0xdfc97337b9b5e, 0xe502ee78b3ff6,
    0xea4afa2a490d9, 0xefa1bee615a27, 0xf50765b6e4540, 0xfa7c1819e90d8,
    .max,
  ]

  /// For the top seven bits of a fraction: the last edge below all fractions that start with them, or −1. Edges are
  /// further apart than 1/128, so at most one more edge is among those fractions.
  static let starts: [Int8] = [
    -1, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 8, 9, 10,
    10, 11, 12, 12, 13, 14, 14, 15, 15, 16, 17, 17, 18, 18, 19, 20,
    20, 21, 21, 22, 22, 23, 24, 24, 25, 25, 26, 26, 27, 27, 28, 28,
    29, 29, 30, 30, 31, 31, 32, 33, 33, 34, 34, 35, 35, 35, 36, 36,
    37, 37, 38, 38, 39, 39, 40, 40, 41, 41, 42, 42, 43, 43, 43, 44,
    44, 45, 45, 46, 46, 47, 47, 47, 48, 48, 49, 49, 50, 50, 50, 51,
    51, 52, 52, 52, 53, 53, 54, 54, 54, 55, 55, 56, 56, 56, 57, 57,
    58, 58, 58, 59, 59, 59, 60, 60, 61, 61, 61, 62, 62, 62, 63, 63,
  ]

  /// The edge with this number: 2^(number/64) rounded down; 0 below the normal doubles and infinity above them.
  static func edge(_ number: Int) -> Double {
    let exponent = number >> 6
    if exponent < -1022 { return 0 }
    if exponent > 1023 { return .infinity }
    return Double(bitPattern: UInt64(exponent + 1023) << 52 | fractions[number & 63])
  }
}
