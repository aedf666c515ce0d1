import Core

/// Confidence intervals. `tail` is the probability outside on each side: 0.025 for a two-sided 95 % interval, 0.05 for
/// one-sided 95 % bounds, 0.001 for incidents. A bound that does not exist is nil.
public enum Interval {
  /// Whether a tail is valid: above 0, at most one half.
  static func isTail(_ tail: Double) -> Bool { tail > 0 && tail <= 0.5 }

  /// The number of standard errors from a normal variable's mean to a bound that leaves `tail` outside: 1.96 for 0.025.
  public static func normalReach(tail: Double) -> Double { -SpecialFunctions.normalQuantile(tail) }
}

extension Interval {
  /// Bounds on the mean: Student's t on the effective sample, but no narrower than `meanStep`. Nil for an effective
  /// sample size below two; `high` is nil if a span is unbounded.
  public static func mean(
    _ reader: HistogramReader, effect: DesignEffect, tail: Double
  ) -> (low: Double?, high: Double?) {
    let n = Double(reader.count) / effect.value
    guard n >= 2, isTail(tail), let mean = reader.mean, let variance = reader.variance else { return (nil, nil) }
    let sampled = SpecialFunctions.studentTQuantile(1 - tail, min(effect.freedom, n - 1)) * (variance / n).squareRoot()
    let reach = max(sampled, reader.meanStep)
    return (max(0, mean - reach), reader.hasInfiniteSpan ? nil : mean + reach)
  }
}

extension Interval {
  /// Bounds on the mean of a Poisson variable with the observed `count`, which may be any real number from 0.
  ///
  /// F. Garwood, "Fiducial limits for the Poisson distribution" (1936), as the limit of Clopper and Pearson's bounds
  /// for a count out of a billion. From a million on, the bounds are those of a normal variable.
  static func poisson(count: Double, tail: Double) -> (low: Double, high: Double) {
    guard count >= 0, isTail(tail) else { return (count, count) }
    guard count < many / 1000 else {
      let reach = -SpecialFunctions.normalQuantile(tail) * count.squareRoot()
      return (count - reach, count + reach)
    }
    let low = count > 0 ? many * SpecialFunctions.betaQuantile(tail, count, many - count + 1) : 0
    return (low, many * SpecialFunctions.betaQuantile(1 - tail, count + 1, many - count))
  }

  private static let many = 1e9
}

extension Interval {
  /// Clopper–Pearson bounds on the share k of n, both divided by the design effect.
  ///
  /// C. Clopper and E. Pearson (1934); E. Korn and B. Graubard, "Confidence intervals for proportions with small
  /// expected number of positive counts estimated from survey data" (1998). The bounds are nil if n is 0.
  public static func ratio(
    k: Double, n: Double, effect: DesignEffect, tail: Double
  ) -> (low: Double?, high: Double?) {
    guard n > 0, k >= 0, k <= n, n < .infinity, isTail(tail) else { return (nil, nil) }
    let deff = effect.value(atTail: tail)
    let good = k / deff
    let bad = (n - k) / deff
    let low = good > 0 ? SpecialFunctions.betaQuantile(tail, good, bad + 1) : 0
    let high = bad > 0 ? SpecialFunctions.betaQuantile(1 - tail, good + 1, bad) : 1
    return (low, high)
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Interval {
  /// Order-statistic bounds on a quantile: the values of two ranks, with every span at its lower edge for `low` and at
  /// its upper edge for `high`. Nil if there are too few values or the edge is infinite.
  public static func quantile(
    _ p: Double, of reader: HistogramReader, effect: DesignEffect, tail: Double
  ) -> (low: Double?, high: Double?) {
    let ranks = quantileRanks(p, count: reader.count, effect: effect, tail: tail)
    let low = ranks.low.flatMap { reader.value(atRank: Double($0), .low) }
    let high = ranks.high.flatMap { reader.value(atRank: Double($0), .high) }
    return (low, high.flatMap { $0 < .infinity ? $0 : nil })
  }

  /// The ranks of the two bounds among `count` values with an effective sample size of count/deff.
  ///
  /// Upper: the smallest j with P(Bin(n, p) >= j/deff) <= tail, in the Beta form I_p(j/deff, n - j/deff + 1), which
  /// accepts real n; it does not exist when p^n > tail. The lower bound is the upper one of 1 - p, counted from the
  /// other end. W. Conover, "Practical Nonparametric Statistics", 3.2; on F(T): R. Woodruff (1952).
  static func quantileRanks(
    _ p: Double, count: Int, effect: DesignEffect, tail: Double
  ) -> (low: Int?, high: Int?) {
    guard p > 0, p < 1, count > 0, isTail(tail) else { return (nil, nil) }
    let deff = min(effect.value(atTail: tail), Double(count))
    let high = upperRank(p, count: count, deff: deff, tail: tail)
    let mirrored = upperRank(1 - p, count: count, deff: deff, tail: tail)
    return (mirrored.map { count - $0 + 1 }, high)
  }

  private static func upperRank(_ p: Double, count: Int, deff: Double, tail: Double) -> Int? {
    let n = Double(count) / deff
    func holds(_ rank: Int) -> Bool {
      let j = min(n, Double(rank) / deff)
      return SpecialFunctions.incompleteBeta(x: p, complement: 1 - p, j, n - j + 1) <= tail
    }
    // I_p(n, 1) is p^n. The tolerance absorbs rounding, so that a power of exactly 2.5 % counts as a tail of 2.5 %.
    guard n * log(p) - log(tail) <= 1e-12 else { return nil }
    // The search starts at the rank of Cornish and Fisher's expansion, in steps of doubling width, and ends with
    // bisection.
    let z = -SpecialFunctions.normalQuantile(tail)
    let expected = n * p + 0.5 + z * (n * p * (1 - p)).squareRoot() + (z * z - 1) * (1 - 2 * p) / 6
    var step = max(1, Int(saturating: deff / 8))
    var failing = 0
    var holding = count
    let guess = min(max(1, Int(saturating: expected * deff)), count)
    if holds(guess) {
      holding = guess
      while holding - step > 0, holds(holding - step) { (holding, step) = (holding - step, step.saturatingMultiply(2)) }
      failing = max(0, holding - step)
    } else {
      failing = guess
      while step < count - failing, !holds(failing + step) {
        (failing, step) = (failing + step, step.saturatingMultiply(2))
      }
      holding = step < count - failing ? failing + step : count
    }
    while holding - failing > 1 {
      let middle = failing + (holding - failing) / 2
      if holds(middle) { holding = middle } else { failing = middle }
    }
    return holding
  }
}

/// The share of values on one side of a target, with bounds. The values of a bucket that contains the target never
/// count in favour of a result.
struct ShareInterval: Sendable, Equatable {
  /// The number of all values.
  var n: Int
  /// The lower bound of the number of values on the counted side of the target: those whose whole bucket is on that
  /// side.
  var fewest: Double
  /// The upper bound of the number of values on the counted side of the target: those whose bucket reaches into that
  /// side.
  var most: Double
  /// The share with values spread evenly over their buckets; nil if there are no values.
  var value: Double?
  /// A lower confidence bound on the share of `fewest` among all values.
  var low: Double?
  /// An upper confidence bound on the share of `most` among all values.
  var high: Double?

  /// The lower bound of the number of values on the other side of the target.
  var surelyOutside: Double { max(0, Double(n) - most) }
}

extension Interval {
  /// The share of values in bins up to that of `target`: Clopper–Pearson on F(T).
  ///
  /// p95 <= T is broken when `high` < 0.95, with `surelyOutside` bad events; it is within budget when `low` >= 0.95.
  static func share(
    atMost target: Double, _ reader: HistogramReader, effect: DesignEffect, tail: Double
  ) -> ShareInterval {
    share(of: reader, effect, tail, counts: reader.count(atMost: target))
  }

  /// The share of values in bins below that of `target`, for a metric for which higher is better.
  ///
  /// p10 >= T is broken when `low` > 0.1, with `fewest` bad events; it is within budget when `high` <= 0.1.
  static func share(
    below target: Double, _ reader: HistogramReader, effect: DesignEffect, tail: Double
  ) -> ShareInterval {
    share(of: reader, effect, tail, counts: reader.count(below: target))
  }

  private static func share(
    of reader: HistogramReader, _ effect: DesignEffect, _ tail: Double,
    counts: (low: Double, spread: Double, high: Double)
  ) -> ShareInterval {
    let n = Double(reader.count)
    return ShareInterval(
      n: reader.count, fewest: counts.high, most: counts.low, value: n > 0 ? counts.spread / n : nil,
      low: ratio(k: counts.high, n: n, effect: effect, tail: tail).low,
      high: ratio(k: counts.low, n: n, effect: effect, tail: tail).high)
  }
}
