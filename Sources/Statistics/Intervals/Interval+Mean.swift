extension Interval {
  /// Bounds on the mean: Student's t on the effective sample. Nil for an effective sample below two; `high` is nil when a
  /// span has no end.
  public static func mean(
    _ reader: HistogramReader, effect: DesignEffect, tail: Double
  ) -> (low: Double?, high: Double?) {
    let n = Double(reader.count) / effect.value
    guard n >= 2, isTail(tail), let mean = reader.mean, let variance = reader.variance else { return (nil, nil) }
    let reach = SpecialFunctions.studentTQuantile(1 - tail, min(effect.freedom, n - 1)) * (variance / n).squareRoot()
    return (max(0, mean - reach), reader.hasInfiniteSpan ? nil : mean + reach)
  }
}
