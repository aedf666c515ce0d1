import Telemetry

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Interval {
  /// Order-statistic bounds on a quantile: the values of two ranks, with every span at its lower edge for `low` and at its
  /// upper edge for `high`. Nil where too few values exist or the edge is infinite.
  public static func quantile(
    _ p: Double, of reader: HistogramReader, effect: DesignEffect, tail: Double
  ) -> (low: Double?, high: Double?) {
    let ranks = quantileRanks(p, count: reader.count, effect: effect, tail: tail)
    let low = ranks.low.flatMap { reader.value(atRank: Double($0), .low) }
    let high = ranks.high.flatMap { reader.value(atRank: Double($0), .high) }
    return (low, high.flatMap { $0 < .infinity ? $0 : nil })
  }

  /// The ranks of the two bounds among `count` values that weigh as much as count/deff independent ones.
  ///
  /// Upper: the smallest j with P(Bin(n, p) >= j/deff) <= tail, in the Beta form I_p(j/deff, n - j/deff + 1) that takes
  /// real n; it does not exist when p^n > tail. The lower is its mirror image: the upper one of 1 - p, counted from the
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
    // I_p(n, 1) is p^n. Rounding must not tell a tail of 2.5 % from a power that is 2.5 %.
    guard n * log(p) - log(tail) <= 1e-12 else { return nil }
    // Close to where Cornish and Fisher's expansion says: look in widening steps from there, then halve.
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
