public import Storage

/// How many days one point of a trend stands for.
///
/// In a chart of a long window single days cannot be distinguished, and each rests on few values: the days are
/// taken together, until there are few enough points.
public enum TrendStep {
  /// The most points of a trend.
  public static let mostPoints = 42
  /// The longest step that may be asked for, in days.
  static let longest = 366

  /// A day, a week, two weeks, four weeks, or a multiple of those: the shortest that keeps a window's points few.
  public static func days(for window: Window) -> Int {
    func isEnough(_ step: Int) -> Bool { window.days <= step * mostPoints }
    if let short = [1, 7, 14].first(where: isEnough) { return short }
    return (window.days + 28 * mostPoints - 1) / (28 * mostPoints) * 28
  }
}

extension Scope {
  /// The parts of the window that are the points of its trends.
  package var steps: [Window] { window.steps(of: step ?? TrendStep.days(for: window)) }
}
