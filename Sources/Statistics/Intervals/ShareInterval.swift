/// The share of values on one side of a target, with bounds. The values of a bucket that contains the target are never
/// counted in favour of a result.
struct ShareInterval: Sendable, Equatable {
  /// The number of values of which the share is taken.
  var n: Int
  /// The lower bound of the number of values on the counted side of the target: those whose whole bucket is on that
  /// side.
  var fewest: Double
  /// The upper bound of the number of values on the counted side of the target: those whose bucket reaches into that
  /// side.
  var most: Double
  /// The share with values spread evenly over their buckets; nil if there are none.
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
  /// p95 <= T is broken when `high` < 0.95, with `surelyOutside` bad events; it is within when `low` >= 0.95.
  static func share(
    atMost target: Double, _ reader: HistogramReader, effect: DesignEffect, tail: Double
  ) -> ShareInterval {
    share(of: reader, effect, tail, counts: reader.count(atMost: target))
  }

  /// The share of values in bins below that of `target`, for a metric for which higher is better.
  ///
  /// p10 >= T is broken when `low` > 0.1, with `fewest` bad events; it is within when `high` <= 0.1.
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
