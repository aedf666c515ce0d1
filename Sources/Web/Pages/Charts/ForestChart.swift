import Analysis
import Core
import Foundation

/// A forest plot of compared metrics with its caption, drawn twice, for wide and for narrow screens.
struct ForestFigure: Markup {
  var title: String
  var metrics: [MetricComparison]

  func write(to html: inout HTMLWriter) {
    let rows = metrics.compactMap(ForestRow.init)
    guard !rows.isEmpty else { return }
    html.element("figure", .class("card", "forest")) { html in
      html.write(ForestChart(title: title, rows: rows, layout: .wide))
      html.write(ForestChart(title: title, rows: rows, layout: .narrow))
      html.element(
        "figcaption",
        text: "Differences in multiples of the margin, on a compressed scale. Changes within the margin "
          + "(\(margins(rows)), shaded) count as no change. Lines are 95 % intervals; an arrowhead marks an interval "
          + "that extends beyond the chart.")
    }
  }

  /// The margins, which differ between shares and other metrics.
  private func margins(_ rows: [ForestRow]) -> String {
    let margins = SentenceWords.unique(rows.map { $0.metric.marginText })
    return margins.count > 4 ? "10 % for most metrics" : SentenceWords.list(margins)
  }
}

/// A metric of a forest plot, with its difference in multiples of the margin: positive is worse.
struct ForestRow {
  var metric: MetricComparison
  var value: Double
  var low: Double
  var high: Double

  init?(_ metric: MetricComparison) {
    guard let change = metric.deterioration, change.value.isFinite else { return nil }
    self.metric = metric
    (value, low, high) = change
  }
}

/// A forest plot: one row per metric, with the difference as a mark and its interval as a whisker, in multiples of the
/// margin. Worse is to the right.
struct ForestChart: Markup {
  var title: String
  var rows: [ForestRow]
  var layout: ForestLayout

  func write(to html: inout HTMLWriter) {
    let height = layout.top + layout.rowHeight * Double(rows.count) + layout.bottom
    html.element(
      "svg", .class("chart", layout.style), Attribute("viewBox", "0 0 \(Int(layout.width)) \(Int(height))"),
      Attribute("role", literal: "img")
    ) { html in
      html.element("title", text: title)
      html.element("desc", text: description)
      axis(bottom: height - layout.bottom, &html)
      for (index, row) in rows.enumerated() { mark(row, layout.top + layout.rowHeight * Double(index), &html) }
    }
  }

  private var scale: ForestScale { ForestScale(rows, from: layout.plotLeft, to: layout.plotRight) }

  private func axis(bottom: Double, _ html: inout HTMLWriter) {
    let scale = self.scale
    html.leaf(
      "rect", .class("margin"), Attribute("x", scale(-1)), Attribute("y", layout.top),
      Attribute("width", scale(1) - scale(-1)), Attribute("height", bottom - layout.top))
    for tick in scale.ticks.flatMap({ [-$0, $0] }) {
      html.write(
        Segment(style: "grid", from: Point(x: scale(tick), y: layout.top), to: Point(x: scale(tick), y: bottom)))
    }
    html.write(Segment(style: "zero", from: Point(x: scale(0), y: layout.top), to: Point(x: scale(0), y: bottom)))
    let y = layout.top - 6
    html.write(Label("better", at: Point(x: layout.plotLeft, y: y), anchor: "start"))
    html.write(Label("no change", at: Point(x: scale(0), y: y), anchor: "middle"))
    html.write(Label("worse", at: Point(x: layout.plotRight, y: y), anchor: "end"))
    for tick in scale.ticks.flatMap({ [-$0, $0] }) {
      let isLast = tick.magnitude == scale.reach
      // A narrow chart has no room for more numbers.
      guard isLast || !layout.isNarrow || tick.magnitude == 1 else { continue }
      let anchor: StaticString = isLast ? tick < 0 ? "start" : "end" : "middle"
      let text = isLast ? "\(Int(tick.magnitude)) margins" : "\(Int(tick.magnitude))"
      html.write(Label(text, at: Point(x: scale(tick), y: bottom + 14), anchor: anchor))
    }
  }

  private func mark(_ row: ForestRow, _ top: Double, _ html: inout HTMLWriter) {
    let y = top + layout.rowHeight - layout.markOffset
    let style = row.metric.severity.style
    let scale = self.scale
    html.element("g", .class("row", style)) { html in
      html.element("title", text: sentence(row))
      let name = ShortenedName.text(row.metric.rowTitle, limit: layout.longestName)
      html.write(Label(name, at: Point(x: 0, y: layout.isNarrow ? top + 12 : y + 4), anchor: "start", "name"))
      let change = row.metric.change(row.metric.difference?.value)
      html.write(
        Label(change, at: Point(x: layout.width, y: layout.isNarrow ? top + 12 : y + 4), anchor: "end", "value"))
      html.write(Segment(style: "whisker", from: Point(x: scale(row.low), y: y), to: Point(x: scale(row.high), y: y)))
      if row.low < -scale.reach { html.write(Arrowhead(at: Point(x: layout.plotLeft, y: y), isLeft: true)) }
      if row.high > scale.reach { html.write(Arrowhead(at: Point(x: layout.plotRight, y: y), isLeft: false)) }
      html.leaf(
        "rect", .class("mark"), Attribute("x", scale(row.value) - 4), Attribute("y", y - 4), Attribute("width", 8),
        Attribute("height", 8))
    }
  }

  private func sentence(_ row: ForestRow) -> String {
    let metric = row.metric
    return
      "\(ShortenedName.text(metric.rowTitle)): \(metric.severity.word), \(metric.change(metric.difference?.value)) "
      + "(\(metric.changeInterval))"
  }

  private var description: String {
    let shown = rows.prefix(5).map(sentence).joined(separator: "; ")
    let more = rows.count > 5 ? "; \(rows.count - 5) more, listed in the table" : ""
    return "Most severe first. \(shown)\(more)."
  }
}

/// Maps differences in margins to positions: linear near zero, logarithmic beyond, so that differences of one margin
/// and of ten both show their intervals.
struct ForestScale {
  /// The end of the scale in margins: as large as the rows need, from 2 to 50.
  let reach: Double
  private let linear: LinearScale

  init(_ rows: [ForestRow], from left: Double, to right: Double) {
    let most = rows.flatMap { [$0.value, $0.low, $0.high] }.map(\.magnitude).max() ?? 0
    reach = Self.steps.dropFirst().first { $0 >= most } ?? 50
    let end = Self.narrowed(reach)
    linear = LinearScale(domain: (-end, end), range: (left, right))
  }

  private static let steps: [Double] = [1, 2, 5, 10, 20, 50]

  /// The ticks on the worse side, starting with the margin.
  var ticks: [Double] { Self.steps.filter { $0 == 1 || $0 == reach || reach / $0 >= 4 && $0 >= 5 } }

  func callAsFunction(_ margins: Double) -> Double { linear(Self.narrowed(margins)) }

  /// The inverse hyperbolic sine, which is nearly its argument below 1 and a logarithm beyond.
  private static func narrowed(_ margins: Double) -> Double {
    let size = log(margins.magnitude + (margins * margins + 1).squareRoot())
    return margins < 0 ? -size : size
  }
}

/// The dimensions of a forest plot in units of its viewBox.
struct ForestLayout {
  var width: Double
  var plotLeft: Double
  var plotRight: Double
  var rowHeight: Double
  /// The distance from the mark to the lower end of its row.
  var markOffset: Double
  var longestName: Int
  /// The CSS class that shows or hides the chart depending on the screen's width.
  var style: StaticString

  let top = 24.0
  let bottom = 20.0
  /// Whether names are above the whiskers instead of beside them.
  var isNarrow: Bool { plotLeft < 50 }

  static let wide = ForestLayout(
    width: 960, plotLeft: 270, plotRight: 850, rowHeight: 26, markOffset: 13, longestName: 38, style: "wide")
  static let narrow = ForestLayout(
    width: 320, plotLeft: 6, plotRight: 314, rowHeight: 38, markOffset: 10, longestName: 32, style: "narrow")
}

/// The end of a whisker that extends beyond the drawing.
private struct Arrowhead: Markup {
  var point: Point
  var isLeft: Bool

  init(at point: Point, isLeft: Bool) {
    self.point = point
    self.isLeft = isLeft
  }

  func write(to html: inout HTMLWriter) {
    let back = isLeft ? 7.0 : -7
    var path = Path()
    path.move(point)
    path.line(Point(x: point.x + back, y: point.y - 4))
    path.line(Point(x: point.x + back, y: point.y + 4))
    path.close()
    html.leaf("path", .class("beyond"), Attribute("d", path.text))
  }
}
