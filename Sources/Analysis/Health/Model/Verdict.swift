/// The verdict on a budget.
public enum Verdict: String, Sendable, CaseIterable {
  case within
  case warning
  case broken
  case notEnoughData = "not_enough_data"
}

extension Verdict {
  /// The verdict on several budgets together: broken if any is, otherwise warning if any is. Otherwise within only if
  /// most budgets are within, so that an app whose budgets mostly lack data does not look healthy.
  public static func worst(of verdicts: [Verdict]) -> Verdict {
    if let bad = [Verdict.broken, .warning].first(where: verdicts.contains) { return bad }
    return 2 * verdicts.count { $0 == .within } > verdicts.count ? .within : .notEnoughData
  }
}
