import Telemetry

extension HistogramReader {
  /// The mean, spans by their middle and infinite ones by their low; nil when there are no values.
  public var mean: Double? {
    guard count > 0 else { return nil }
    if let stepsPerUnit, histogram.sum < .max {
      return histogram.clamped(Double(histogram.sum) / stepsPerUnit / Double(count))
    }
    return histogram.clamped(placedMean)
  }

  /// The sample variance of the values as bins and spans place them; values are taken to lie evenly over a span. Nil for
  /// fewer than two values.
  public var variance: Double? {
    guard count > 1 else { return nil }
    let mean = placedMean
    var sum = 0.0
    for point in histogram.points { sum += Double(point.count) * (point.x - mean) * (point.x - mean) }
    for span in histogram.spans.entries {
      let width = span.isInfinite ? 0 : span.high - span.low
      let distance = span.middle - mean
      sum += Double(span.count) * (distance * distance + width * width / 12)
    }
    return sum / Double(count - 1)
  }

  /// Σ of bin indices, as the moments count them.
  public var indexSum: Int128 { histogram.indexSum }
  /// Σ of squared bin indices.
  public var indexSquareSum: Int128 { histogram.indexSquareSum }

  private var placedMean: Double {
    let total = Double(count)
    var mean = 0.0
    for point in histogram.points { mean += point.x * (Double(point.count) / total) }
    for span in histogram.spans.entries { mean += span.middle * (Double(span.count) / total) }
    return mean
  }
}
