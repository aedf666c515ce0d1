import Core
public import Storage

/// Computes the trend of a metric: one point for each step of a window. A step without data has an empty point.
package enum Trend {
  /// The trend of one statistic, one point for each of `steps`.
  package static func points(
    _ steps: [Window], _ series: [Series], _ metric: String, _ statistic: Budget.Statistic
  ) -> [TrendPoint] {
    points(steps, series, metric, [statistic]).first ?? []
  }

  /// The points of several statistics, in their order. Each step's measure is computed once.
  package static func points(
    _ steps: [Window], _ series: [Series], _ metric: String, _ statistics: [Budget.Statistic]
  ) -> [[TrendPoint]] {
    let own = series.of(metric)
    // A fixed one of several series, so that equal data give equal points.
    let main = Measure.storedNames(of: metric).first
    let measures = steps.map { step -> (measure: Measure, arrived: Double?)? in
      let part = own.compactMap { $0.restricted(to: step) }
      guard let (measure, source) = Measure.named(metric, in: part), measure.n > 0 else { return nil }
      let weighed = part.first { $0.source == source && $0.metric.name == main } ?? part.first { $0.source == source }
      return (measure, weighed?.arrivedShare(of: DelayedEvent(badEventOf: metric)))
    }
    return statistics.map { statistic in
      zip(steps, measures).map { step, found in
        guard let found else { return TrendPoint(step, estimate: .unknown, n: 0) }
        return TrendPoint(
          step, estimate: found.measure.estimate(statistic, tail: HealthReader.shownTail), n: found.measure.n,
          arrived: found.arrived)
      }
    }
  }
}

/// Chooses the number of days per point of a trend.
///
/// In a chart of a long window, single days would be indistinguishable and would have few values, so several days are
/// combined into one point.
public enum TrendStep {
  /// The maximum number of points of a trend.
  static let mostPoints = 42
  /// The longest step that can be requested, in days.
  static let longest = 366

  /// The shortest step with at most `mostPoints` points: 1, 7, 14 or a multiple of 28 days.
  public static func days(for window: Window) -> Int {
    func isEnough(_ step: Int) -> Bool { window.days <= step * mostPoints }
    if let short = [1, 7, 14].first(where: isEnough) { return short }
    return (window.days + 28 * mostPoints - 1) / (28 * mostPoints) * 28
  }
}

extension Scope {
  /// The parts of the window that correspond to the points of its trends.
  package var steps: [Window] { steps(in: window) }
}
