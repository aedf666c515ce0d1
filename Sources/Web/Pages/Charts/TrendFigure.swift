import Analysis
import Core

/// A trend over the window with its table of numbers. It is drawn twice, for wide and for narrow screens.
struct TrendFigure: Markup {
  var title: String
  var lines: [TrendChart.Line]
  var unit: MetricUnit
  /// Decides the axis: it starts at 0 if lower is better, and ends at the best value if higher is better.
  var direction: Metric.Direction
  var target: Double?
  var warnTarget: Double?
  var markers: [ReleaseMarker] = []
  /// The page whose data contains these numbers.
  var source: Page
  /// The secondary table of that page with these numbers; nil for the main one.
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
