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
      html.write(
        Table(caption, of: (lines.first?.points ?? []).enumerated().reversed(), isWide: lines.count > 1) {
          Column.head(words.column) { head($0.element, &$1) }
          for line in lines {
            Column.number(line.name.isEmpty ? "Value" : line.name) { $1.number(line.estimate(at: $0.offset), unit) }
            Column.number("Interval") { $1.interval(line.estimate(at: $0.offset), unit) }
          }
          Column.count("n", \.element.n)
        })
      html.write(ChartData(page: source, table: table, hasTable: hasTable, links: links))
    }
  }

  private var words: StepWords { StepWords(lines.first?.points ?? []) }

  private func head(_ point: TrendPoint, _ html: inout HTMLWriter) {
    html.text(words.head(point))
    for marker in markers where point.day <= marker.day && marker.day <= point.lastDay {
      html.text(" ")
      html.write(Name(marker.version))
    }
  }
}

extension TrendChart.Line {
  fileprivate func estimate(at index: Int) -> Estimate {
    points.indices.contains(index) ? points[index].estimate : .unknown
  }
}
