import Analysis
import Core

/// A histogram of a metric's values, with the budget as a line.
struct DistributionChart: Markup {
  let title: String
  let bars: [DistributionBar]
  /// The share of all values in each bar, 0 to 1.
  let shares: [Double]
  let unit: MetricUnit
  let direction: Metric.Direction
  let target: Double?
  let frame: ChartDimensions
  let style: StaticString
  private let axis: ValueAxis

  init(
    title: String, bars: [DistributionBar], unit: MetricUnit, direction: Metric.Direction, target: Double?,
    frame: ChartDimensions, style: StaticString
  ) {
    self.title = title
    self.bars = bars
    let total = bars.reduce(0) { $0 + max(0, $1.count) }
    shares = bars.map { total > 0 ? max(0, $0.count) / total : 0 }
    self.unit = unit
    self.direction = direction
    self.target = target
    axis = ValueAxis(values: shares, bounds: [], target: nil, direction: .lower, unit: .ratio)
    self.frame = frame.fitting(axis.labels(.ratio))
    self.style = style
  }

  func write(to html: inout HTMLWriter) {
    let scale = DistributionScale(bars, frame: frame)
    html.element(
      "svg", .class("chart", style), Attribute("viewBox", "0 0 \(Int(frame.width)) \(Int(frame.height))"),
      Attribute("role", literal: "img")
    ) { html in
      html.element("title", text: title)
      html.element("desc", text: description)
      shareAxis(axis, &html)
      for (index, slot) in scale.slots.enumerated() {
        if let bar = slot.bar { self.bar(bar, scale.left(index), scale.slotWidth, axis, &html) }
      }
      edges(scale, &html)
      if let target, let x = scale.x(target) { budget(target, x, &html) }
    }
  }

  private func height(of share: Double, _ axis: ValueAxis) -> Double {
    LinearScale(domain: (axis.lower, axis.upper), range: (frame.plotBottom, frame.plotTop))(share)
  }

  private func shareAxis(_ axis: ValueAxis, _ html: inout HTMLWriter) {
    for tick in axis.ticks {
      let y = height(of: tick, axis)
      html.write(Segment(style: "grid", from: Point(x: frame.plotLeft, y: y), to: Point(x: frame.plotRight, y: y)))
      html.write(
        Label(axis.label(tick, .ratio), at: Point(x: frame.plotLeft - 6, y: y + 4), anchor: "end"))
    }
  }

  private func bar(_ index: Int, _ left: Double, _ width: Double, _ axis: ValueAxis, _ html: inout HTMLWriter) {
    let top = height(of: shares[index], axis)
    let gap = min(2, width / 5)
    html.element(
      "rect", isBeyond(bars[index]) ? .class("column", "beyond") : .class("column"), Attribute("x", left + gap / 2),
      Attribute("y", top), Attribute("width", width - gap), Attribute("height", frame.plotBottom - top)
    ) { $0.element("title", text: "\(range(bars[index])): \(Quantity.share(shares[index]))") }
  }

  /// Whether the whole bar is on the wrong side of the budget.
  private func isBeyond(_ bar: DistributionBar) -> Bool {
    guard let target else { return false }
    return direction == .lower ? bar.low >= target : (bar.high ?? .infinity) <= target
  }

  /// Labels round values at their positions, and the lower edge of an open-ended last bar.
  private func edges(_ scale: DistributionScale, _ html: inout HTMLWriter) {
    var end = frame.width
    if let open = scale.slots.last.flatMap({ $0.high == nil ? $0.low : nil }) {
      let text = "≥\u{A0}" + Quantity.limit(open, unit)
      html.write(Label(text, at: Point(x: frame.plotRight, y: frame.height - 5), anchor: "end"))
      end = frame.plotRight - Label.width(text)
    }
    for label in scale.roundLabels(unit, before: end) {
      html.write(Label(label.text, at: Point(x: label.x, y: frame.height - 5), anchor: "middle"))
    }
  }

  private func budget(_ target: Double, _ x: Double, _ html: inout HTMLWriter) {
    html.write(
      Segment(style: "budget", from: Point(x: x, y: frame.plotTop - 8), to: Point(x: x, y: frame.plotBottom)))
    let isRight = x > (frame.plotLeft + frame.plotRight) / 2
    html.write(
      Label(
        "budget \(Quantity.limit(target, unit))", at: Point(x: isRight ? x - 5 : x + 5, y: frame.plotTop - 2),
        anchor: isRight ? "end" : "start", "budget"))
  }

  private func range(_ bar: DistributionBar) -> String { Quantity.interval(bar.low, bar.high, unit) }

  private var description: String {
    guard let peak = shares.indices.max(by: { shares[$0] < shares[$1] }) else { return "No values." }
    let most = "The most frequent values are \(range(bars[peak])), \(Quantity.share(shares[peak])) of all values."
    guard target != nil else { return most }
    let beyond = bars.indices.filter { isBeyond(bars[$0]) }.reduce(0) { $0 + shares[$1] }
    return most + " \(Quantity.share(beyond)) are beyond the budget."
  }
}

/// The numbers of a distribution chart as a table.
struct DistributionTable: Markup {
  var caption: String
  var bars: [DistributionBar]
  var unit: MetricUnit
  /// The page whose data contains these numbers.
  var source: Page
  var links: Links

  func write(to html: inout HTMLWriter) {
    let total = bars.reduce(0) { $0 + max(0, $1.count) }
    html.element("details") { html in
      html.element("summary", text: "Chart data as a table")
      html.write(
        Table(caption, of: bars, isWide: false) {
          Column.head("Values") { Quantity.interval($0.low, $0.high, unit) }
          Column.number("n") { $1.number($0.count, .count) }
          Column.number("Share") { $1.number(total > 0 ? $0.count / total : nil, .ratio) }
        })
      html.write(ChartDataLinks(page: source, table: .distribution, links: links))
    }
  }
}
