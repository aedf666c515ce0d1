import Budgets
import Storage
import Telemetry

/// A metric's statistic day by day. A day without data keeps its place.
struct Trend {
  let points: [TrendPoint]

  init(_ window: Window, _ series: [Series], _ metric: String, _ statistic: Budget.Statistic) {
    let stored = Measure.storedNames(of: metric)
    let all = series.filter { stored.contains($0.metric.name) }
    let unlabelled = all.filter { $0.label.isEmpty }
    // A slice of one label has rows of that label only.
    let own = unlabelled.isEmpty ? all : unlabelled
    points = window.allDays.map { day in
      guard let (measure, _) = Measure.named(metric, in: own.compactMap { $0.restricted(to: day) }), measure.n > 0
      else { return TrendPoint(day: day, estimate: .unknown, n: 0) }
      return TrendPoint(
        day: day, estimate: measure.estimate(statistic, tail: HealthReader.shownTail), n: measure.n)
    }
  }
}

extension Series {
  /// This series on one day; nil when it has nothing there.
  func restricted(to day: CalendarDay) -> Series? {
    guard let aggregate = self[day] else { return nil }
    var part = Series(metric: metric, label: label, source: source, member: member)
    part.add(aggregate, on: day)
    return part
  }
}
