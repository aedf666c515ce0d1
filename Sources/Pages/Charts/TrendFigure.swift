import HTML
import Health
import Telemetry
import Wording

/// A trend over the window, drawn twice, for a screen and for a phone, with its numbers below.
struct TrendFigure: Markup {
  var title: String
  var lines: [TrendChart.Line]
  var unit: MetricUnit
  /// The axis starts at 0 where less is better, and ends at the best value where more is.
  var direction: Metric.Direction
  var target: Double?
  var warnTarget: Double?
  var markers: [ReleaseMarker] = []
  /// The page whose data these numbers are.
  var source: Page
  /// Which of its tables has them.
  var table: DataTable?
  var links: Links

  private var hasData: Bool { lines.contains { $0.points.contains { $0.estimate.value != nil } } }
  private var hasIntervals: Bool {
    lines.contains { $0.points.contains { $0.estimate.low != nil || $0.estimate.high != nil } }
  }

  func write(to html: inout HTMLWriter) {
    guard hasData else { return }
    html.element("figure", .class("card")) { html in
      html.write(chart(.wide, "wide"))
      html.write(chart(.narrow, "narrow"))
      html.element("figcaption", text: caption)
      html.write(
        TrendTable(
          caption: title, lines: lines, unit: unit, markers: markers, source: source, table: table, links: links))
    }
  }

  private func chart(_ frame: ChartFrame, _ style: StaticString) -> TrendChart {
    TrendChart(
      title: title, lines: lines, unit: unit, direction: direction, target: target, warnTarget: warnTarget,
      markers: markers, frame: frame, style: style, isDetailed: frame.isWide)
  }

  private var caption: String {
    var sentences = hasIntervals ? ["Shaded: 95 % intervals."] : []
    sentences.append(StepWords(lines.first?.points ?? []).gap)
    if let target { sentences.append("Dashed: budget \(Quantity.limit(target, unit)).") }
    if !markers.isEmpty { sentences.append("Dotted: first day of a release.") }
    return sentences.joined(separator: " ")
  }
}
