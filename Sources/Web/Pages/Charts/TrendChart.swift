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
  var frame: ChartDimensions
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
      let label = ShortenedName.text(marker.version, limit: 12)
      // A label that would cover the previous one is left out; the table has it.
      let fits = x - lastLabel > Double(label.unicodeScalars.count) * 6 + 8
      if fits { lastLabel = x }
      return MarkerLine(label: fits ? label : nil, x: x, frame: plot.frame)
    }
  }
}

/// The axes of a trend chart: horizontal grid lines with values, and dates below.
struct TrendAxes: Markup {
  var plot: TrendGeometry
  var unit: MetricUnit

  func write(to html: inout HTMLWriter) {
    let frame = plot.frame
    html.write(Grid(heights: plot.axis.ticks.map(plot.y), frame: frame))
    for tick in plot.axis.ticks {
      html.write(
        Label(
          plot.axis.label(tick, unit), at: Point(x: frame.plotLeft - 6, y: plot.y(tick) + 4), anchor: "end"))
    }
    for (day, text, anchor) in days {
      html.write(Label(text, at: Point(x: plot.x(day), y: frame.height - 5), anchor: anchor))
    }
  }

  /// The dates to label: the first and the last day and, on wide charts, weeks in between. A label includes the year if
  /// it differs from the previous label's year; the first label, if it differs from the last label's year.
  private var days: [(CalendarDay, String, StaticString)] {
    let first = CalendarDay(number: plot.firstDay)
    let last = CalendarDay(number: plot.lastDay)
    var year = last.civil.year
    func title(_ day: CalendarDay) -> String {
      defer { year = day.civil.year }
      return ChartDateLabel.text(day, besides: year)
    }
    guard last > first else { return [(first, title(first), "middle")] }
    var labels: [(CalendarDay, String, StaticString)] = [(first, title(first), "start")]
    if plot.frame.isWide {
      let room = Int((Self.labelWidth / plot.dayWidth).rounded(.up))
      for day in stride(from: plot.firstDay + labelStep, through: plot.lastDay - room, by: labelStep)
        .map(CalendarDay.init(number:))
      {
        labels.append((day, title(day), "middle"))
      }
    }
    return labels + [(last, title(last), "end")]
  }

  /// The days between two labels: as many whole weeks as their texts need.
  private var labelStep: Int {
    let weeks = (Self.labelWidth / (7 * plot.dayWidth)).rounded(.up)
    return 7 * max(1, Int(min(weeks, 1000)))
  }

  /// The distance between two labels, one of them with its year, in units of the drawing.
  private static let labelWidth = 100.0
}
