import Analysis
import Core

/// Describes a trend in words, for readers who cannot see the chart.
enum TrendWords {
  static func description(_ chart: TrendChart, _ axis: ValueAxis) -> String {
    var sentences = chart.lines.map { line in sentence(line.points, name: line.name, chart.unit) }
    if let target = chart.target {
      let limit = Quantity.limit(target, chart.unit)
      sentences.append(axis.showsTarget ? "The budget is \(limit)." : "The budget, \(limit), is outside the chart.")
    }
    return sentences.joined(separator: " ")
  }

  /// `p90 from 1.21 s to 1.64 s, last 1.39 s; 1 of 28 days has no data.`
  static func sentence(_ points: [TrendPoint], name: String, _ unit: MetricUnit) -> String {
    let estimates = points.map(\.estimate)
    let values = estimates.compactMap(\.value)
    let text = { (value: Double) in Quantity.text(estimates.first { $0.value == value }, unit) }
    let prefix = name.isEmpty ? "" : name + " "
    guard let low = values.min(), let high = values.max(), let last = values.last else {
      return "\(prefix)has no data in \(TimeStepWords(points).count(points.count))."
    }
    let missing = points.count - values.count
    let gap = missing == 0 ? "" : "; \(missing) of \(TimeStepWords(points).count(points.count)) without data"
    let open = points.last { $0.estimate.value != nil }?.arrived.map { " (\(arrived($0)))" } ?? ""
    return "\(prefix)from \(text(low)) to \(text(high)), last \(text(last))\(open)\(gap)."
  }

  /// What open points are; nil without any.
  static func open(_ lines: [TrendChart.Line]) -> String? {
    guard lines.contains(where: { $0.points.contains { $0.arrived != nil } }) else { return nil }
    return "Open: not everything has arrived; the interval is for what the value will be."
  }

  /// How much of a point has arrived: `82 % is in`.
  static func arrived(_ share: Double) -> String { "\(min(99, max(1, Int((share * 100).rounded())))) % is in" }
}
