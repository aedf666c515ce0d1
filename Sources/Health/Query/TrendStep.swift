public import Storage

/// Chooses the number of days per point of a trend.
///
/// In a chart of a long window single days could not be distinguished, and each would have few values, so several days
/// are combined into one point.
public enum TrendStep {
  /// The most points of a trend.
  public static let mostPoints = 42
  /// The longest step that can be requested, in days.
  static let longest = 366

  /// The shortest step that gives at most `mostPoints` points: 1, 7, 14 or a multiple of 28 days.
  public static func days(for window: Window) -> Int {
    func isEnough(_ step: Int) -> Bool { window.days <= step * mostPoints }
    if let short = [1, 7, 14].first(where: isEnough) { return short }
    return (window.days + 28 * mostPoints - 1) / (28 * mostPoints) * 28
  }
}

extension Scope {
  /// The parts of the window that become the points of its trends.
  package var steps: [Window] { window.steps(of: step ?? TrendStep.days(for: window)) }
}
