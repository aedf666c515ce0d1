public import Telemetry

extension Budget {
  /// The budget with its limits in another unit; nil when the two measure different things.
  ///
  /// For metrics outside the catalogue: a team may write seconds where its app sends milliseconds.
  public func converted(to other: MetricUnit) -> Budget? {
    guard other != unit else { return self }
    guard let factor = BudgetUnit.factor(from: unit, to: other) else { return nil }
    var copy = self
    copy.unit = other
    copy.target *= factor
    copy.warnTarget = warnTarget.map { $0 * factor }
    return copy
  }
}
