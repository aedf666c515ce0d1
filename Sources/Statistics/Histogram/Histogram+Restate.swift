extension Histogram {
  /// Puts what the source knows exactly in the place of what its buckets let one guess. Without both ends the histogram stays
  /// estimated. An empty histogram, and numbers that cannot be, change nothing.
  ///
  /// `stepsPerUnit` is the resolution of `sum`.
  public mutating func restate(sum exact: Double, minimum: Double?, maximum: Double?, stepsPerUnit: Double) {
    guard count > 0, exact >= 0, exact < .infinity, minimum ?? 0 >= 0, minimum ?? 0 < .infinity,
      maximum ?? 0 < .infinity, minimum ?? 0 <= maximum ?? .infinity
    else { return }
    sum = fixedPoint(exact, stepsPerUnit: stepsPerUnit, count: 1)
    // The value of a bin stands for all values in it, and may lie beyond the only one there is.
    if let minimum { lowest = minimum }
    if let maximum { highest = maximum }
    if lowest > highest { if minimum == nil { lowest = highest } else { highest = lowest } }
    if minimum != nil, maximum != nil { isEstimated = false }
  }

  /// Brings the ends that buckets let one guess within bounds that all values are known to keep.
  public mutating func bound(minimum: Double?, maximum: Double?) {
    guard count > 0, minimum ?? 0 >= 0, maximum ?? 0 >= 0, minimum ?? 0 <= maximum ?? .infinity else { return }
    if let minimum, minimum < .infinity, minimum > lowest {
      lowest = minimum
      highest = max(highest, lowest)
    }
    if let maximum, maximum < highest {
      highest = maximum
      lowest = min(lowest, highest)
    }
  }
}
