/// Tests of whether users were divided between the two arms of an experiment as intended. If they were not, a comparison
/// of the arms also compares different users.
///
/// A. Fabijan et al., "Diagnosing Sample Ratio Mismatch in Online Controlled Experiments" (KDD 2019).
public enum SampleRatioMismatch {
  /// The users of both arms in a part of the data.
  public struct Part: Sendable, Equatable {
    public var base: Double
    public var head: Double
    /// The squares of the relative standard errors of both counts; 0 for exact counts.
    public var baseError: Double
    public var headError: Double

    public init(base: Double, head: Double, baseError: Double = 0, headError: Double = 0) {
      (self.base, self.head) = (base, head)
      (self.baseError, self.headError) = (baseError, headError)
    }

    /// The users of both arms.
    public var total: Double { base + head }

    /// The head's share of the users, 0 to 1.
    public var share: Double { total > 0 ? head / total : 0 }

    /// The variance of the head's share if its true value is `share`.
    fileprivate func variance(_ share: Double) -> Double {
      let product = share * (1 - share)
      return product / total + product * product * (baseError + headError)
    }
  }

  /// The p-value below which a division counts as broken. Every comparison is checked, so it is small.
  public static let level = 0.001

  /// The number of users of each arm that a part must be expected to have. With fewer, χ² does not hold in its tail.
  private static let fewest = 10.0

  /// The two-sided p-value of the users if the head should have `split` of them, 0 to 1; nil with too few users.
  ///
  /// Exact counts are tested against the binomial distribution, estimates against the normal one.
  public static func pValue(of part: Part, split: Double) -> Double? {
    guard split > 0, split < 1, part.total.isFinite, part.total * min(split, 1 - split) >= fewest else { return nil }
    if part.baseError + part.headError > 0 {
      let distance = part.share - split
      return upperTail(distance * distance / part.variance(split), freedom: 1)
    }
    let (k, n) = (part.head.rounded(), part.total.rounded())
    // P(X ≥ k) of a binomial distribution is an incomplete beta function.
    func atLeast(_ k: Double) -> Double {
      k <= 0 ? 1 : SpecialFunctions.incompleteBeta(x: split, complement: 1 - split, k, n - k + 1)
    }
    func atMost(_ k: Double) -> Double {
      k >= n ? 1 : SpecialFunctions.incompleteBeta(x: 1 - split, complement: split, n - k, k + 1)
    }
    return min(1, 2 * min(atLeast(k), atMost(k)))
  }

  /// The p-value of the users if the head has the same share in every part: Pearson's χ², with the errors of estimated
  /// counts; nil with too few users for two parts. Parts with few users are joined.
  public static func pValue(ofEqualShares parts: [Part]) -> Double? {
    let used = parts.filter { $0.total > 0 && $0.total.isFinite }
    let whole = sum(used)
    let share = whole.share
    guard share > 0, share < 1 else { return nil }
    func isLarge(_ part: Part) -> Bool { part.total * min(share, 1 - share) >= fewest }
    let rest = sum(used.filter { !isLarge($0) })
    let tested = used.filter(isLarge) + (isLarge(rest) ? [rest] : [])
    guard tested.count > 1 else { return nil }
    let weights = tested.map { 1 / $0.variance(share) }
    let weight = weights.reduce(0, +)
    let mean = zip(tested, weights).reduce(0) { $0 + $1.0.share * $1.1 } / weight
    let q = zip(tested, weights).reduce(0) { $0 + $1.1 * ($1.0.share - mean) * ($1.0.share - mean) }
    return upperTail(q, freedom: Double(tested.count - 1))
  }

  /// The sum of disjoint parts.
  public static func sum(_ parts: [Part]) -> Part {
    var (sum, base, head) = (Part(base: 0, head: 0), 0.0, 0.0)
    for part in parts {
      sum.base += part.base
      sum.head += part.head
      base += part.base * part.base * part.baseError
      head += part.head * part.head * part.headError
    }
    if sum.base > 0 { sum.baseError = base / (sum.base * sum.base) }
    if sum.head > 0 { sum.headError = head / (sum.head * sum.head) }
    return sum
  }

  /// The upper tail of χ², which is F with infinitely many degrees of freedom in the denominator.
  private static func upperTail(_ q: Double, freedom: Double) -> Double {
    SpecialFunctions.fDistributionUpperTail(q / freedom, freedom, 1e9)
  }
}
