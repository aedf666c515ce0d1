import Analysis
import Core

/// A trend as small as a word: no axes, gaps for missing days, a point on the newest day.
struct Sparkline: Markup {
  var title: String
  var points: [TrendPoint]
  var unit: MetricUnit
  var direction: Metric.Direction
  /// The trend to compare with, over the same days, as a grey line.
  var before: [TrendPoint] = []

  private static let frame = ChartDimensions(width: 160, height: 40, left: 2, right: 4, top: 5, bottom: 5)

  func write(to html: inout HTMLWriter) {
    var plot = TrendGeometry([points, before], frame: Self.frame, target: nil, direction: direction, unit: unit)
    let values = (points + before).compactMap(\.estimate.value).filter(\.isFinite)
    // Without a labelled axis, the range ends at the worst value.
    if direction == .higher {
      plot.axis.lower = values.min() ?? plot.axis.lower
    } else {
      plot.axis.upper = values.max() ?? plot.axis.upper
    }
    html.element(
      "svg", .class("spark"), Attribute("viewBox", literal: "0 0 160 40"), Attribute("role", literal: "img")
    ) { html in
      html.element("title", text: "\(title): \(TrendWords.sentence(points, name: "", unit))")
      for run in TrendGeometry.runs(before) where run.count > 1 {
        html.leaf("path", .class("line", "before"), Attribute("d", plot.line(run).text))
      }
      for run in TrendGeometry.runs(points) where run.count > 1 {
        html.leaf("path", .class("line", "first"), Attribute("d", plot.line(run).text))
      }
      html.write(TrendDots(style: "first", points: points, plot: plot))
    }
  }
}
