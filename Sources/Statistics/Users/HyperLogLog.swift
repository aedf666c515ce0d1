import Core

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A HyperLogLog sketch: 2^14 registers that estimate the number of different hashes.
///
/// P. Flajolet et al., "HyperLogLog" (2007), standard error 1.04/√16384 = 0.81 %, with the 64-bit hashes of S. Heule et
/// al. (2013) and the estimator of O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017,
/// arXiv:1702.01284, algorithm 6), which needs no table of corrections at any size.
struct HyperLogLog: Equatable, Sendable {
  static let precision = 14
  static let size = 1 << precision
  /// The largest value of a register, reached if the other 50 bits of the hash are zero.
  static let largest = 64 - precision + 1
  static let relativeError = 1.04 / 128

  private(set) var registers = [UInt8](repeating: 0, count: size)

  init() {}

  /// Creates a sketch from registers; nil unless there are 2^14 of them, none above the largest value.
  init?(registers: [UInt8]) {
    guard registers.count == Self.size, registers.allSatisfy({ $0 <= Self.largest }) else { return nil }
    self.registers = registers
  }

  mutating func insert(_ hash: UInt64) {
    let register = Int(truncatingIfNeeded: hash >> UInt64(64 - Self.precision))
    let value = Self.rank(of: hash)
    if registers[register] < value { registers[register] = value }
  }

  /// The number of zeros after the bits that select the register, plus one.
  static func rank(of hash: UInt64) -> UInt8 {
    UInt8(min(largest, (hash << UInt64(precision)).leadingZeroBitCount + 1))
  }

  mutating func insert(contentsOf hashes: some Sequence<UInt64>) {
    for hash in hashes { insert(hash) }
  }

  mutating func merge(_ other: HyperLogLog) {
    for index in 0..<Self.size where registers[index] < other.registers[index] {
      registers[index] = other.registers[index]
    }
  }

  var estimate: Int {
    var histogram = [Int](repeating: 0, count: Self.largest + 1)
    for register in registers { histogram[Int(register)] += 1 }
    let m = Double(Self.size)
    var z = m * Self.tau(1 - Double(histogram[Self.largest]) / m)
    for value in (1..<Self.largest).reversed() { z = 0.5 * (z + Double(histogram[value])) }
    z += m * Self.sigma(Double(histogram[0]) / m)
    let estimate = m * m / (2 * log(2) * z)
    return Int(saturating: estimate.rounded())
  }

  /// The estimator's term for empty registers: x + Σ x^(2^k)·2^(k-1).
  private static func sigma(_ x: Double) -> Double {
    if x == 1 { return .infinity }
    var (power, weight, sum) = (x, 1.0, x)
    while true {
      power *= power
      let next = sum + power * weight
      if next == sum { return sum }
      (sum, weight) = (next, weight * 2)
    }
  }

  /// The estimator's term for full registers: (1 - x - Σ (1 - x^(2^-k))²·2^-k)/3.
  private static func tau(_ x: Double) -> Double {
    if x == 0 || x == 1 { return 0 }
    var (root, weight, rest) = (x, 1.0, 1 - x)
    while true {
      root = root.squareRoot()
      weight /= 2
      let next = rest - (1 - root) * (1 - root) * weight
      if next == rest { return rest / 3 }
      rest = next
    }
  }
}
