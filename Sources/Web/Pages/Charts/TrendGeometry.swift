import Analysis
import Core

/// Maps the days and values of a trend to positions in a drawing.
struct TrendGeometry {
  var frame: ChartDimensions
  var axis: ValueAxis
  var firstDay: Int
  var lastDay: Int

  init(
    _ lines: [[TrendPoint]], frame: ChartDimensions, target: Double?, direction: Metric.Direction, unit: MetricUnit
  ) {
    self.frame = frame
    let points = lines.joined()
    firstDay = points.map(\.day.number).min() ?? 0
    lastDay = points.map(\.lastDay.number).max() ?? firstDay
    let known = points.filter { $0.estimate.value != nil }
    axis = ValueAxis(
      values: known.compactMap(\.estimate.value),
      bounds: known.flatMap { [$0.estimate.low, $0.estimate.high] }
        .compactMap { $0 }, target: target, direction: direction, unit: unit)
  }

  func x(_ day: CalendarDay) -> Double { x(Double(day.number)) }

  /// The horizontal position of a point: the middle of its days.
  func x(_ point: TrendPoint) -> Double { x(Double(point.day.number) + Double(point.days - 1) / 2) }

  private func x(_ day: Double) -> Double {
    LinearScale(
      domain: (Double(firstDay), Double(lastDay)), range: (frame.plotLeft + inset, frame.plotRight - inset))(day)
  }

  func y(_ value: Double) -> Double {
    LinearScale(domain: (axis.lower, axis.upper), range: (frame.plotBottom, frame.plotTop))(value)
  }

  /// The width of one day.
  var dayWidth: Double { (frame.plotWidth - 2 * inset) / Double(max(1, lastDay - firstDay)) }

  private var inset: Double { 4 }

  /// The runs of consecutive points with values. Each run becomes one line, so that no line crosses a gap.
  static func runs(_ points: [TrendPoint]) -> [[TrendPoint]] {
    var runs: [[TrendPoint]] = []
    var isOpen = false
    for point in points {
      guard let value = point.estimate.value, value.isFinite else {
        isOpen = false
        continue
      }
      if isOpen, let last = runs.last?.last, point.day == last.lastDay + 1 {
        runs[runs.count - 1].append(point)
      } else {
        runs.append([point])
      }
      isOpen = true
    }
    return runs
  }

  /// The line through the points of a run.
  func line(_ run: [TrendPoint]) -> Path {
    var path = Path()
    for (index, position) in positions(run).enumerated() { index == 0 ? path.move(position) : path.line(position) }
    return path
  }

  func positions(_ run: [TrendPoint]) -> [Point] {
    run.compactMap { point in point.estimate.value.map { Point(x: x(point), y: y($0)) } }
  }

  /// The area between the lower and upper bounds of a run. A missing bound is at the edge of the drawing; a point
  /// without any bound interrupts the area.
  func band(_ run: [TrendPoint]) -> Path {
    var path = Path()
    let bounded = run.split { $0.estimate.low == nil && $0.estimate.high == nil }
    for part in bounded {
      let points = widened(part.map { (x($0), low(of: $0), high(of: $0)) })
      for (index, point) in points.enumerated() {
        index == 0 ? path.move(Point(x: point.0, y: point.2)) : path.line(Point(x: point.0, y: point.2))
      }
      for point in points.reversed() { path.line(Point(x: point.0, y: point.1)) }
      path.close()
    }
    return path
  }

  /// Adds width to an area of a single point, which would otherwise be invisible.
  private func widened(_ points: [(Double, Double, Double)]) -> [(Double, Double, Double)] {
    guard points.count == 1, let only = points.first else { return points }
    return [(only.0 - 2, only.1, only.2), (only.0 + 2, only.1, only.2)]
  }

  private func low(of point: TrendPoint) -> Double { point.estimate.low.map(y) ?? frame.plotBottom }
  private func high(of point: TrendPoint) -> Double { point.estimate.high.map(y) ?? frame.plotTop }
}
