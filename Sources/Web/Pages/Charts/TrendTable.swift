import Analysis
import Core

/// The numbers of a trend chart as a table, the newest first.
struct TrendTable: Markup {
  var caption: String
  var lines: [TrendChart.Line]
  var unit: MetricUnit
  var markers: [ReleaseMarker] = []
  /// The page whose data contains these numbers.
  var source: Page
  /// The secondary table of that page with these numbers; nil for the main one.
  var table: DataTable?
  /// Whether the numbers are also available as CSV.
  var hasTable = true
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("details") { html in
      html.element("summary", text: "Numbers of this chart")
      html.write(Table(caption, columns, isWide: lines.count > 1) { rows(&$0) })
      html.write(ChartData(page: source, table: table, hasTable: hasTable, links: links))
    }
  }

  private var words: StepWords { StepWords(lines.first?.points ?? []) }

  private var columns: [Table.Column] {
    let values = lines.flatMap { [Table.Column.number($0.name.isEmpty ? "Value" : $0.name), .number("Interval")] }
    return [Table.Column(title: words.column)] + values + [.number("n")]
  }

  private func rows(_ html: inout HTMLWriter) {
    guard let points = lines.first?.points else { return }
    for (index, point) in points.enumerated().reversed() {
      html.row { html in
        html.rowHead { head(point, &$0) }
        for line in lines { cells(line.points.indices.contains(index) ? line.points[index] : nil, &html) }
        html.countCell(point.n)
      }
    }
  }

  private func head(_ point: TrendPoint, _ html: inout HTMLWriter) {
    html.text(words.head(point))
    for marker in markers where point.day <= marker.day && marker.day <= point.lastDay {
      html.text(" ")
      html.write(Name(marker.version))
    }
  }

  private func cells(_ point: TrendPoint?, _ html: inout HTMLWriter) {
    let estimate = point?.estimate ?? .unknown
    html.element("td", .class("n")) { $0.number(estimate, unit) }
    html.element("td", .class("n")) { $0.interval(estimate, unit) }
  }
}
