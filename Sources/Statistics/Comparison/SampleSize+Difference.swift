extension SampleSize {
  /// How many times the head's events it takes until the interval of a difference tells, if it stays where it is: it must
  /// reach no farther than `margin` on either side of zero, or not reach zero. Nil when the base alone leaves too much
  /// open.
  ///
  /// - Parameter reach: half the width of the interval, in standard errors.
  public static func growth(of difference: Difference, margin: Double, reach: Double) -> Double? {
    let size = abs(difference.value)
    let wanted = max(size, margin - size) / reach
    let left = wanted * wanted - difference.baseVariance
    guard left > 0, difference.headVariance > 0 else { return nil }
    return max(1, difference.headVariance / left)
  }
}
