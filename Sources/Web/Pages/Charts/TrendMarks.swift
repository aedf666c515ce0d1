import Analysis
import Core

/// A limit across the drawing. Its label is above the drawing, where no line crosses it.
struct LimitLine: Markup {
  var label: String
  var y: Double
  var frame: ChartDimensions
  var style: StaticString = "budget"
  var isAtStart = false

  func write(to html: inout HTMLWriter) {
    html.write(Segment(style: style, from: Point(x: frame.plotLeft, y: y), to: Point(x: frame.plotRight, y: y)))
    let x = isAtStart ? frame.plotLeft : frame.plotRight
    html.write(Label(label, at: Point(x: x, y: 11), anchor: isAtStart ? "start" : "end", style))
  }
}

/// A vertical line at the first day of a release.
struct MarkerLine: Markup {
  var label: String?
  var x: Double
  var frame: ChartDimensions

  func write(to html: inout HTMLWriter) {
    html.write(Segment(style: "marker", from: Point(x: x, y: frame.plotTop - 4), to: Point(x: x, y: frame.plotBottom)))
    guard let label else { return }
    let room = Label.width(label) / 2
    let middle = max(room, min(x, frame.width - room))
    html.write(Label(label, at: Point(x: middle, y: frame.plotTop - 8), anchor: "middle", "marker"))
  }
}

/// The dots of a line: at points without neighbours, which have no line, at the newest point, and at all points that are
/// not complete yet. Those are open.
struct TrendDots: Markup {
  var style: StaticString
  var points: [TrendPoint]
  var plot: TrendGeometry

  func write(to html: inout HTMLWriter) {
    for run in TrendGeometry.runs(points) {
      for point in run where run.count == 1 || point.arrived != nil || point.day == newest {
        guard let position = plot.positions([point]).first else { continue }
        let style: Attribute = point.arrived == nil ? .class("dot", style) : .class("dot open", style)
        html.leaf("circle", style, Attribute("cx", position.x), Attribute("cy", position.y), Attribute("r", 3))
      }
    }
  }

  private var newest: CalendarDay? { points.last { $0.estimate.value?.isFinite == true }?.day }
}

/// The names of the lines at their right ends, moved apart where they would overlap.
struct EndLabels: Markup {
  var lines: [TrendChart.Line]
  var plot: TrendGeometry

  func write(to html: inout HTMLWriter) {
    let ends: [(TrendChart.Line, Double)] = lines.compactMap { line in
      line.points.last { $0.estimate.value != nil }?.estimate.value.map { (line, plot.y($0)) }
    }
    let sorted = ends.sorted { $0.1 < $1.1 }
    let heights = Self.apart(sorted.map(\.1), by: 13, within: plot.frame.plotTop...plot.frame.plotBottom)
    for (end, y) in zip(sorted, heights) {
      html.write(Label(end.0.name, at: Point(x: plot.frame.plotRight + 4, y: y + 4), anchor: "start", end.0.style))
    }
  }

  /// The ascending `heights`, moved so that neighbours are at least `distance` apart, all inside `limits` if they fit.
  static func apart(_ heights: [Double], by distance: Double, within limits: ClosedRange<Double>) -> [Double] {
    var moved = heights
    for index in moved.indices.dropFirst() { moved[index] = max(moved[index], moved[index - 1] + distance) }
    guard let last = moved.last, last > limits.upperBound else { return moved }
    moved[moved.count - 1] = limits.upperBound
    for index in moved.indices.dropLast().reversed() { moved[index] = min(moved[index], moved[index + 1] - distance) }
    return moved
  }
}

/// An invisible column for each point, which shows the point's numbers on hover.
struct HoverColumns: Markup {
  var lines: [TrendChart.Line]
  var plot: TrendGeometry
  var unit: MetricUnit

  func write(to html: inout HTMLWriter) {
    guard let points = lines.first?.points else { return }
    for (index, point) in points.enumerated() {
      html.element(
        "rect", .class("hover"), Attribute("x", plot.x(point.day) - plot.dayWidth / 2),
        Attribute("y", plot.frame.plotTop), Attribute("width", plot.dayWidth * Double(point.days)),
        Attribute("height", plot.frame.plotHeight)
      ) { $0.element("title", text: text(index, point)) }
    }
  }

  private func text(_ index: Int, _ point: TrendPoint) -> String {
    let numbers = lines.compactMap { line -> String? in
      guard line.points.indices.contains(index) else { return nil }
      let estimate = line.points[index].estimate
      let name = line.name.isEmpty ? "" : line.name + " "
      return "\(name)\(Quantity.text(estimate, unit)) (\(Quantity.interval(estimate, unit)))"
    }
    let days = ChartDateLabel.span(point, besides: CalendarDay(number: plot.lastDay).civil.year)
    let missing = point.arrived.map { ", \(TrendWords.arrived($0))" } ?? ""
    return "\(days): \(numbers.joined(separator: ", ")), n \(Decimal.grouped(point.n))\(missing)"
  }
}
