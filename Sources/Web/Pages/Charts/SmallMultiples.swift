import Analysis
import Core

/// Small charts of the same trend for each part of the data, side by side with the same axes.
struct SmallMultiples: Markup {
  var heading: String
  var rows: [Breakdown]
  var direction: Metric.Direction
  var budget: BudgetResult?
  /// The statistic shown, such as `p90`; nil for a metric that has only one number.
  var statistic: String?
  /// The page whose data contains these numbers.
  var source: Page
  var links: Links

  /// The minimum number of points for a chart.
  private static let fewestPoints = 3

  func write(to html: inout HTMLWriter) {
    let shown = rows.filter { row in row.trend.count { $0.estimate.value != nil } >= Self.fewestPoints }
    guard shown.count > 1, let first = shown.first else { return }
    let unit = first.report.unit
    let axis = axis(shown, unit)
    html.element("section") { html in
      html.element("h3", text: "\(heading), \(TimeStepWords(first.trend).by)")
      html.element("ul", .class("multiples")) { html in
        for row in shown { html.element("li") { one(row, unit, axis, &$0) } }
      }
      html.write(TrendDataTable(heading: heading, statistic: statistic, rows: shown, source: source, links: links))
    }
  }

  private func one(_ row: Breakdown, _ unit: MetricUnit, _ axis: ValueAxis, _ html: inout HTMLWriter) {
    html.element("p", .class("label")) { html in
      html.write(Name(row.title))
      if let verdict = row.verdict {
        html.text(" ")
        html.element("span", .class("tone", Optional(verdict).style)) { html in
          html.element("span", Attribute("aria-hidden", literal: "true"), text: Optional(verdict).symbol)
          html.element("span", .class("unseen"), text: Optional(verdict).word)
        }
      }
    }
    let name = ShortenedName.text(row.title)
    html.write(
      TrendChart(
        title: "\(name) \(TimeStepWords(row.trend).by)",
        lines: [TrendChart.Line(name: statistic ?? "", style: "first", points: row.trend)],
        unit: unit, direction: direction, target: budget?.target, frame: .small, axis: axis))
  }

  /// The axis that all charts share, so that they can be compared.
  private func axis(_ shown: [Breakdown], _ unit: MetricUnit) -> ValueAxis {
    let points = shown.flatMap(\.trend)
    return ValueAxis(
      values: points.compactMap(\.estimate.value), bounds: [], target: budget?.target, direction: direction, unit: unit,
      steps: 3)
  }
}
