import Core
import Storage

extension HealthReader {
  /// When a metric broke its budget on a slice, by the data: midnight of the first day of the time since which it did;
  /// nil if no day has data, or no budget is about the metric.
  ///
  /// - Parameters:
  ///   - text: the budget as it is written; nil for the first one on the metric.
  ///   - isWarning: whether the warning level is meant, not the limit.
  ///   - slice: as in the budget's result, which adds its own conditions to environment and release.
  func onset(
    of metric: String, budget text: String?, isWarning: Bool = false, on slice: Slice, _ app: App, now: Timestamp
  ) throws -> Timestamp? {
    guard let budget = budgets.first(where: { text.map { [own = $0.text] in own == $0 } ?? ($0.metric == metric) })
    else { return nil }
    let whole = try scope(of: app, .init(), now: now)
    var part = whole.slice
    part.environment = slice.environment
    part.release = slice.release
    let own = whole.with(slice: part).narrowed(by: budget)
    let found = try series(of: budget, own)
    guard let stored = found.first(where: { $0.metric.name == metric }) ?? found.first else { return nil }
    let converted = stored.metric.name == metric ? budget.converted(to: stored.metric.unit) ?? budget : budget
    let limit = isWarning ? converted.warnTarget ?? converted.target : converted.target
    let points = Trend.points(own.window.steps(of: 1), found, metric, budget.statistic)
    let excess = points.map { point -> Double in
      guard let value = point.estimate.value else { return 0 }
      let beyond = budget.comparison == .atMost ? value - limit : limit - value
      return beyond * Double(point.n)
    }
    return Onset.start(of: excess).map { points[$0].day.startUTC }
  }
}

/// Finds when something began to be too much.
enum Onset {
  /// The index from which the excess up to the end adds up to the most: the estimate of a change point by cumulative
  /// sums (Page 1954, "Continuous inspection schemes"). Single good days after the beginning do not move it, nor do
  /// single bad ones before. Nil if nothing at the end is in excess.
  static func start(of excess: [Double]) -> Int? {
    var (sum, most): (Double, Double) = (0, 0)
    var start: Int?
    for index in excess.indices.reversed() {
      sum += excess[index]
      if sum > most { (most, start) = (sum, index) }
    }
    return start
  }
}
