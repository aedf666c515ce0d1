import Analysis
import Core

/// A metric's trend: lines, intervals as bands, the budget as a dashed line, releases as markers.
struct TrendChart: Markup {
  struct Line {
    /// The name of the line: `p90`.
    var name: String
    var style: StaticString
    var points: [TrendPoint]
  }

  var title: String
  var lines: [Line]
  var unit: MetricUnit
  var direction: Metric.Direction
  var target: Double?
  var warnTarget: Double?
  var markers: [ReleaseMarker] = []
  var frame: ChartFrame
  /// The CSS class that shows or hides the chart depending on the screen's width.
  var style: StaticString = "fluid"
  /// Whether points show their numbers on hover.
  var isDetailed = false
  /// The common axis of several charts; nil to compute one for this chart.
  var axis: ValueAxis?

  func write(to html: inout HTMLWriter) {
    var plot = TrendGeometry(lines.map(\.points), frame: frame, target: target, direction: direction, unit: unit)
    if let axis { plot.axis = axis }
    plot.frame = frame.fitting(plot.axis.labels(unit), names: lines.count > 1 ? lines.map(\.name) : [])
    html.element(
      "svg", .class("chart", style), Attribute("viewBox", "0 0 \(Int(frame.width)) \(Int(frame.height))"),
      Attribute("role", literal: "img")
    ) { html in
      html.element("title", text: title)
      html.element("desc", text: TrendWords.description(self, plot.axis))
      html.write(TrendAxes(plot: plot, unit: unit))
      for marker in markersToDraw(plot) { html.write(marker) }
      for line in lines { bands(line, plot, &html) }
      budgetLines(plot, &html)
      for line in lines { strokes(line, plot, &html) }
      if lines.count > 1 { html.write(EndLabels(lines: lines, plot: plot)) }
      if isDetailed { html.write(HoverColumns(lines: lines, plot: plot, unit: unit)) }
    }
  }

  private func bands(_ line: Line, _ plot: TrendGeometry, _ html: inout HTMLWriter) {
    for run in TrendGeometry.runs(line.points) {
      let band = plot.band(run)
      if !band.isEmpty { html.leaf("path", .class("band", line.style), Attribute("d", band.text)) }
    }
  }

  private func strokes(_ line: Line, _ plot: TrendGeometry, _ html: inout HTMLWriter) {
    for run in TrendGeometry.runs(line.points) where run.count > 1 {
      html.leaf("path", .class("line", line.style), Attribute("d", plot.line(run).text))
    }
    html.write(TrendDots(style: line.style, points: line.points, plot: plot))
  }

  private func budgetLines(_ plot: TrendGeometry, _ html: inout HTMLWriter) {
    if plot.axis.showsTarget, let target {
      html.write(LimitLine(label: "budget \(Quantity.limit(target, unit))", y: plot.y(target), frame: plot.frame))
    }
    if let warnTarget, warnTarget >= plot.axis.lower, warnTarget <= plot.axis.upper {
      html.write(
        LimitLine(
          label: "warn \(Quantity.limit(warnTarget, unit))", y: plot.y(warnTarget), frame: plot.frame, style: "warn",
          isAtStart: true))
    }
  }

  private func markersToDraw(_ plot: TrendGeometry) -> [MarkerLine] {
    var lastLabel = -Double.infinity
    return markers.filter { (plot.firstDay...plot.lastDay).contains($0.day.number) }.map { marker in
      let x = plot.x(marker.day)
      let label = SanitizedName.text(marker.version, limit: 12)
      // A label that would cover the previous one is left out; the table has it.
      let fits = x - lastLabel > Double(label.unicodeScalars.count) * 6 + 8
      if fits { lastLabel = x }
      return MarkerLine(label: fits ? label : nil, x: x, frame: plot.frame)
    }
  }
}
