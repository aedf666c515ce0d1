extension Measurement.Value {
  /// The buckets that reach down to 0 or have no end, cut to the smallest and largest value where these are known. Other
  /// buckets keep their edges, so that those of one metric still merge.
  public func narrowed(to extent: Extent?) -> Self {
    guard let extent, case .spans(var spans) = self else { return self }
    let (minimum, maximum) = (extent.minimum ?? extent.lowerBound, extent.maximum ?? extent.upperBound)
    for place in spans.indices {
      let span = spans[place]
      if span.low == 0, let minimum, minimum > 0, minimum <= span.high { spans[place].low = minimum }
      if span.high == .infinity, let maximum, maximum >= spans[place].low, maximum < .infinity {
        spans[place].high = maximum
      }
    }
    return .spans(spans)
  }
}
