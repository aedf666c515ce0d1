#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Difference {
  /// The difference of shares within strata: the score interval. Its variance at each possible difference is that of
  /// the most likely pair of shares with that difference. It is valid for small counts, even zero, and at a difference
  /// of zero it is the test of Cochran, Mantel and Haenszel. Nil without a stratum.
  ///
  /// O. Miettinen and M. Nurminen, "Comparative analysis of two rates" (1985).
  public static func shares(_ strata: [Stratum<ShareCount>], tail: Double = 0.025) -> Difference? {
    let strata = strata.filter { $0.weight > 0 }
    guard !strata.isEmpty, Interval.isTail(tail) else { return nil }
    let total = strata.reduce(0) { $0 + $1.weight }
    let value = strata.reduce(0) { $0 + $1.weight / total * ($1.head.share - $1.base.share) }
    let score = StratifiedScore(strata: strata, total: total, value: value)
    let reach = -SpecialFunctions.normalQuantile(tail)
    let variances = score.variances(at: 0)
    return Difference(
      value: value, low: score.bound(reach, isUpper: false), high: score.bound(reach, isUpper: true),
      pValue: erfc(abs(score.z(at: 0)) / 2.0.squareRoot()), baseVariance: variances.base, headVariance: variances.head,
      strata: strata.count)
  }
}

private struct StratifiedScore {
  let strata: [Stratum<ShareCount>]
  let total: Double
  let value: Double

  /// The distance of the observed difference from `delta` in standard errors.
  func z(at delta: Double) -> Double {
    let variances = variances(at: delta)
    let variance = variances.base + variances.head
    if value == delta { return 0 }
    return variance > 0 ? (value - delta) / variance.squareRoot() : value > delta ? .infinity : -.infinity
  }

  func variances(at delta: Double) -> (base: Double, head: Double) {
    strata.reduce((0, 0)) { sum, stratum in
      let base = Self.likelyBase(stratum, delta)
      let head = min(1, max(0, base + delta))
      let n = stratum.base.n + stratum.head.n
      let weight = stratum.weight / total
      let scale = weight * weight * (n > 1 ? n / (n - 1) : 2)
      return (
        sum.0 + scale * base * (1 - base) / stratum.base.n, sum.1 + scale * head * (1 - head) / stratum.head.n
      )
    }
  }

  /// The difference whose distance from the observed one is `reach` standard errors. It is found by bisection, because
  /// z decreases with delta.
  func bound(_ reach: Double, isUpper: Bool) -> Double {
    var near = value
    var far = isUpper ? 1.0 : -1.0
    for _ in 0..<60 {
      let middle = (near + far) / 2
      if abs(z(at: middle)) > reach { far = middle } else { near = middle }
    }
    return near
  }

  /// The most likely share of the base if the head's is larger by `delta`: the root of the likelihood's cubic equation.
  private static func likelyBase(_ stratum: Stratum<ShareCount>, _ delta: Double) -> Double {
    let (base, head) = (stratum.base, stratum.head)
    let n = base.n + head.n
    let l2 = (head.n + 2 * base.n) * delta - n - (base.k + head.k)
    let l1 = (base.n * delta - n - 2 * base.k) * delta + base.k + head.k
    let l0 = base.k * delta * (1 - delta)
    let third = l2 / (3 * n)
    let q = third * third * third - l1 * l2 / (6 * n * n) + l0 / (2 * n)
    let root = max(0, third * third - l1 / (3 * n)).squareRoot()
    let p = q > 0 ? root : -root
    let cosine = p == 0 ? 0 : max(-1, min(1, q / (p * p * p)))
    let share = 2 * p * cos((.pi + acos(cosine)) / 3) - third
    return min(min(1, 1 - delta), max(max(0, -delta), share))
  }
}

/// A count k of n, both divided by the design effect, for the comparison of two shares.
public struct ShareCount: Sendable, Equatable {
  /// The number of counted events divided by the design effect, so usually not a whole number.
  var k: Double
  public var n: Double

  /// Creates a count. `deff` is the design effect of the whole release, because a single device class may have too few
  /// events to estimate it.
  public init(k: Double, n: Double, deff: Double) {
    let deff = deff.isFinite ? max(1, deff) : 1
    self.n = n.isFinite ? max(0, n) / deff : 0
    self.k = max(0, min(k.isFinite ? k / deff : 0, self.n))
  }

  var share: Double { n > 0 ? k / n : 0 }
}

extension ShareCount {
  /// The two-sided p-value for equal rates of events in `base` and `head`, given their total number: the binomial tail
  /// on the side with too many, doubled. It is valid for any counts, while a normal approximation would call four
  /// events instead of one significant.
  ///
  /// J. Przyborowski and H. Wilenski, "Homogeneity of results in testing samples from Poisson series" (1940), in the
  /// Beta form, which accepts real counts. 1 if nothing was counted.
  public static func conditionalPValue(base: ShareCount, head: ShareCount) -> Double {
    guard base.n > 0, head.n > 0, base.k + head.k > 0 else { return 1 }
    let share = head.n / (base.n + head.n)
    let isMore = head.share > base.share
    let (many, few, p) = isMore ? (head.k, base.k, share) : (base.k, head.k, 1 - share)
    guard many > 0 else { return 1 }
    return min(1, 2 * SpecialFunctions.regularizedIncompleteBeta(p, many, few + 1))
  }
}
