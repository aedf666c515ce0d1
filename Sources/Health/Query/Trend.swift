package import Budgets
package import Storage
import Telemetry

/// Computes the trend of a metric: one point for each step of a window. A step without data has an empty point.
package enum Trend {
  /// The points of one statistic.
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
    let measures = steps.map { step in
      Measure.named(metric, in: own.compactMap { $0.restricted(to: step) }).map(\.measure)
    }
    return statistics.map { statistic in
      zip(steps, measures).map { step, measure in
        guard let measure, measure.n > 0 else { return TrendPoint(step, estimate: .unknown, n: 0) }
        return TrendPoint(
          step, estimate: measure.estimate(statistic, tail: HealthReader.shownTail), n: measure.n)
      }
    }
  }
}

extension [Series] {
  /// The series that a metric is computed from.
  fileprivate func of(_ metric: String) -> [Series] {
    let stored = Measure.storedNames(of: metric)
    let all = filter { stored.contains($0.metric.name) }
    let unlabelled = all.filter { $0.label.isEmpty }
    // A slice of one label has rows of that label only.
    return unlabelled.isEmpty ? all : unlabelled
  }
}
