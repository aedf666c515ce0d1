/// The share of values on one side of a target with its bounds, where a bucket that holds the target is never taken for
/// the convenient side.
public struct ShareInterval: Sendable, Equatable {
  /// All values.
  public var n: Int
  /// Values on this side wherever the values of buckets lie.
  public var fewest: Double
  /// Values on this side at the most.
  public var most: Double
  /// The share, buckets spread evenly; nil when there are no values.
  public var value: Double?
  /// The lower bound of `fewest` in n.
  public var low: Double?
  /// The upper bound of `most` in n.
  public var high: Double?

  /// Values on the other side wherever the values of buckets lie.
  public var surelyOutside: Double { max(0, Double(n) - most) }
}

extension Interval {
  /// The share of values whose bin is at most that of `target`: Clopper–Pearson on F(T).
  ///
  /// p95 <= T is broken when `high` < 0.95, with `surelyOutside` bad events; it is within when `low` >= 0.95.
  public static func share(
    atMost target: Double, _ reader: HistogramReader, effect: DesignEffect, tail: Double
  ) -> ShareInterval {
    share(of: reader, effect, tail, counts: reader.count(atMost: target))
  }

  /// The share of values whose bin is below that of `target`, for a metric of which more is better.
  ///
  /// p10 >= T is broken when `low` > 0.1, with `fewest` bad events; it is within when `high` <= 0.1.
  public static func share(
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
