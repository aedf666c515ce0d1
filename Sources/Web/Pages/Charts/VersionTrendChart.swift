import Analysis
import Core

/// Lines from version to version, with margins as bands. Versions are evenly spaced, because their dates are unknown.
struct VersionTrendChart: Markup {
  struct Line {
    var name: String
    var style: StaticString
    /// An estimate for each version; nil if a version has none.
    var estimates: [Estimate?]
  }

  var title: String
  var versions: [String]
  var lines: [Line]
  var unit: MetricUnit
  var direction: Metric.Direction
  var frame: ChartDimensions
  /// The CSS class that shows or hides the chart depending on the screen's width.
  var style: StaticString

  func write(to html: inout HTMLWriter) {
    let known = lines.flatMap { $0.estimates.compactMap { $0 } }
    let axis = ValueAxis(
      values: known.compactMap(\.value), bounds: known.flatMap { [$0.low, $0.high] }.compactMap { $0 }, target: nil,
      direction: direction, unit: unit)
    let plot = Plot(
      frame: frame.fitting(axis.labels(unit), names: lines.map(\.name)), axis: axis, count: versions.count)
    html.element(
      "svg", .class("chart", style), Attribute("viewBox", "0 0 \(Int(frame.width)) \(Int(frame.height))"),
      Attribute("role", literal: "img")
    ) { html in
      html.element("title", text: title)
      html.element("desc", text: description)
      html.write(Grid(heights: axis.ticks.map(plot.y), frame: plot.frame))
      for tick in axis.ticks {
        html.write(
          Label(axis.label(tick, unit), at: Point(x: plot.frame.plotLeft - 6, y: plot.y(tick) + 4), anchor: "end"))
      }
      write(versionsBelow: plot, &html)
      for line in lines { bands(line, plot, &html) }
      for line in lines { strokes(line, plot, &html) }
      ends(plot, &html)
    }
  }

  private struct Plot {
    var frame: ChartDimensions
    var axis: ValueAxis
    var count: Int

    func x(_ index: Int) -> Double {
      frame.plotLeft + frame.plotWidth * (Double(index) + 0.5) / Double(max(1, count))
    }

    func y(_ value: Double) -> Double {
      LinearScale(domain: (axis.lower, axis.upper), range: (frame.plotBottom, frame.plotTop))(value)
    }
  }

  /// Writes the versions below the drawing, without those that would cover the previous one.
  private func write(versionsBelow plot: Plot, _ html: inout HTMLWriter) {
    var end = -Double.infinity
    for (index, version) in versions.enumerated() {
      let label = ShortenedName.text(version, limit: 12)
      let half = Label.width(label) / 2
      guard plot.x(index) - half > end else { continue }
      end = plot.x(index) + half + 4
      html.write(Label(label, at: Point(x: plot.x(index), y: plot.frame.height - 5), anchor: "middle"))
    }
  }

  /// A line's values with their positions, split at versions without a value.
  private func runs(_ line: Line) -> [[(index: Int, estimate: Estimate, value: Double)]] {
    let places = line.estimates.enumerated().map { index, estimate in
      estimate.flatMap { known in known.value.map { (index: index, estimate: known, value: $0) } }
    }
    return places.split { $0 == nil }.map { $0.compactMap { $0 } }
  }

  private func bands(_ line: Line, _ plot: Plot, _ html: inout HTMLWriter) {
    for (index, estimate) in line.estimates.enumerated() {
      guard let estimate, let low = estimate.low, let high = estimate.high else { continue }
      html.leaf(
        "rect", .class("band", line.style), Attribute("x", plot.x(index) - 5), Attribute("y", plot.y(high)),
        Attribute("width", 10.0), Attribute("height", max(1, plot.y(low) - plot.y(high))))
    }
  }

  private func strokes(_ line: Line, _ plot: Plot, _ html: inout HTMLWriter) {
    for run in runs(line) {
      var path = Path()
      for (place, point) in run.enumerated() {
        let position = Point(x: plot.x(point.index), y: plot.y(point.value))
        place == 0 ? path.move(position) : path.line(position)
      }
      if run.count > 1 { html.leaf("path", .class("line", line.style), Attribute("d", path.text)) }
      for point in run {
        html.element(
          "circle", .class("dot", line.style), Attribute("cx", plot.x(point.index)),
          Attribute("cy", plot.y(point.value)), Attribute("r", 3)
        ) { $0.element("title", text: sentence(line, point.index, point.estimate)) }
      }
    }
  }

  private func ends(_ plot: Plot, _ html: inout HTMLWriter) {
    let ends = lines.compactMap { line in runs(line).last?.last.map { (line, plot.y($0.value)) } }
      .sorted { $0.1 < $1.1 }
    let heights = EndLabels.apart(ends.map(\.1), by: 13, within: plot.frame.plotTop...plot.frame.plotBottom)
    for (end, y) in zip(ends, heights) {
      html.write(Label(end.0.name, at: Point(x: plot.frame.plotRight + 4, y: y + 4), anchor: "start", end.0.style))
    }
  }

  private func sentence(_ line: Line, _ index: Int, _ estimate: Estimate) -> String {
    let interval = estimate.low == nil ? "" : " (\(Quantity.interval(estimate, unit)))"
    return "\(ShortenedName.text(versions[index])), \(line.name): \(Quantity.text(estimate, unit))\(interval)"
  }

  /// The newest values of each line.
  private var description: String {
    lines.compactMap { line in runs(line).last?.last.map { sentence(line, $0.index, $0.estimate) } }
      .joined(separator: "; ")
  }
}
