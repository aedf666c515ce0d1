/// The comparison of a metric with the base at the same age of the update.
struct AgeComparison: Sendable, Equatable {
  /// The one-sided p-value for a head that is worse by more than `RolloutVital.tolerated`. A slower first launch that
  /// leaves all later ones as they were does not reach this.
  var pValue: Double
  /// The share of the head's use for which the base's numbers at the same age are known, 0 to 1.
  var matchedShare: Double

  /// Whether the base's first days are known well enough.
  var isKnown: Bool { matchedShare >= 0.5 }
  /// Whether the head is also worse than the base was at the same age.
  var isWorse: Bool { isKnown && pValue <= ComparisonJudge.repeatedRate }
}
