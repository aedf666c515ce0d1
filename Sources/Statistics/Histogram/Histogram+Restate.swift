extension Histogram {
  /// Puts what the source knows exactly in the place of what its buckets let one guess. Without both ends the histogram stays
  /// estimated. An empty histogram, and numbers that cannot be, change nothing.
  ///
  /// `stepsPerUnit` is the resolution of `sum`.
  public mutating func restate(sum exact: Double, minimum: Double?, maximum: Double?, stepsPerUnit: Double) {
    guard count > 0, exact >= 0, exact < .infinity else { return }
    sum = fixedPoint(exact, stepsPerUnit: stepsPerUnit, count: 1)
    if let minimum, minimum >= 0, minimum <= highest { lowest = minimum }
    if let maximum, maximum >= lowest, maximum < .infinity { highest = maximum }
    if minimum != nil, maximum != nil { isEstimated = false }
  }
}
