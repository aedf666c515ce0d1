import Analysis
import Core
import Storage

/// A sparkline of the number of diagnostics per day.
struct GroupTrend: Markup {
  /// The number of diagnostics on each day of the window.
  var days: [Int]
  var window: Window

  func write(to html: inout HTMLWriter) {
    let points = window.steps(of: TrendStep.days(for: window)).map { step in
      let first = step.from.number - window.from.number
      let count = days.dropFirst(first).prefix(step.days).reduce(0, +)
      return TrendPoint(day: step.from, days: step.days, estimate: Estimate(value: Double(count)), n: count)
    }
    html.write(
      Sparkline(title: "Reports \(TimeStepWords(points).by)", points: points, unit: .count, direction: .lower))
  }
}
