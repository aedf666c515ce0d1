import Foundation
import TestSupport

/// A test that knows what every phone did, to which a comparison of stored rows can be compared: two-sided, at the same
/// level of 5 %.
struct ReferenceTest {
  /// The two-sided p-value for equal releases.
  let pValue: Double
  let isWorse: Bool

  /// For rates, the difference of the two ratios divided by its standard error from the residuals of phones; for launch
  /// times, a permutation test of the shares of values above the 90th percentile of the device class.
  init(_ phones: [PowerFleet.Phone], _ random: inout SeededRandom) {
    if phones.contains(where: { !$0.values.isEmpty }) {
      self.init(permuting: phones, &random)
    } else {
      self.init(residuals: phones)
    }
  }

  private init(residuals phones: [PowerFleet.Phone]) {
    func side(_ isHead: Bool) -> (ratio: Double, variance: Double) {
      let own = phones.filter { $0.isHead == isHead }
      let (bad, all) = own.reduce((0, 0)) { ($0.0 + $1.bad, $0.1 + $1.all) }
      let n = Double(own.count)
      guard all > 0, n > 1 else { return (0, 0) }
      let squares = own.reduce(0) { $0 + ($1.bad - bad / all * $1.all) * ($1.bad - bad / all * $1.all) }
      return (bad / all, squares / (all * all) * n / (n - 1))
    }
    let (base, head) = (side(false), side(true))
    let error = (base.variance + head.variance).squareRoot()
    pValue = error > 0 ? erfc(abs(head.ratio - base.ratio) / error / 2.0.squareRoot()) : 1
    isWorse = head.ratio > base.ratio
  }

  private init(permuting phones: [PowerFleet.Phone], _ random: inout SeededRandom) {
    let classes = Dictionary(grouping: phones, by: \.deviceClass).sorted { $0.key < $1.key }.map(\.value)
    let strata = classes.map { phones -> [(above: Double, all: Double, isHead: Bool)] in
      let values = phones.flatMap(\.values).sorted()
      let limit = values.isEmpty ? 0 : values[min(values.count - 1, values.count * 9 / 10)]
      return phones.map { phone in
        (Double(phone.values.count { $0 > limit }), Double(phone.values.count), phone.isHead)
      }
    }
    /// The difference of the shares, averaged over classes by their values.
    func difference(_ isHead: [[Bool]]) -> Double {
      var sum = 0.0
      for (stratum, isHead) in zip(strata, isHead) {
        var (above, all) = ([0.0, 0.0], [0.0, 0.0])
        for (phone, isHead) in zip(stratum, isHead) {
          above[isHead ? 1 : 0] += phone.above
          all[isHead ? 1 : 0] += phone.all
        }
        guard all[0] > 0, all[1] > 0 else { continue }
        sum += (above[1] / all[1] - above[0] / all[0]) * all[0] * all[1] / (all[0] + all[1])
      }
      return sum
    }
    let own = strata.map { $0.map(\.isHead) }
    let found = difference(own)
    var extreme = 1
    for _ in 1..<Self.permutations {
      let shuffled = own.map { $0.shuffled(using: &random) }
      extreme += abs(difference(shuffled)) >= abs(found) - 1e-12 ? 1 : 0
    }
    pValue = Double(extreme) / Double(Self.permutations)
    isWorse = found > 0
  }

  /// The number of assignments of phones to releases, the true one included.
  private static let permutations = 400
}
