import Analysis
import Core

/// A trend over the window with its table of numbers. It is drawn twice, for wide and for narrow screens.
struct TrendFigure: Markup {
  var title: String
  var lines: [TrendChart.Line]
  var unit: MetricUnit
  /// Decides the axis: it starts at 0 if lower is better, and ends at the best value if higher is better.
  var direction: Metric.Direction
  var target: Double?
  var warnTarget: Double?
  var markers: [ReleaseMarker] = []
  /// The page whose data contains these numbers.
  var source: Page
  /// The secondary table of that page with these numbers; nil for the main table.
  var table: AnswerTableName?
  var links: Links

  private var hasData: Bool { lines.contains { $0.points.contains { $0.estimate.value != nil } } }
  private var hasIntervals: Bool {
    lines.contains { $0.points.contains { $0.estimate.low != nil || $0.estimate.high != nil } }
  }

  func write(to html: inout HTMLWriter) {
    guard hasData else { return }
    html.element("figure", .class("card")) { html in
      html.write(chart(.wide, "wide"))
      html.write(chart(.narrow, "narrow"))
      html.element("figcaption", text: caption)
      html.write(
        TrendTable(
          caption: title, lines: lines, unit: unit, markers: markers, source: source, table: table, links: links))
    }
  }

  private func chart(_ frame: ChartDimensions, _ style: StaticString) -> TrendChart {
    TrendChart(
      title: title, lines: lines, unit: unit, direction: direction, target: target, warnTarget: warnTarget,
      markers: markers, frame: frame, style: style, isDetailed: frame.isWide)
  }

  private var caption: String {
    var sentences = hasIntervals ? ["Shaded: 95 % intervals."] : []
    sentences.append(TimeStepWords(lines.first?.points ?? []).gap)
    if let open = TrendWords.open(lines) { sentences.append(open) }
    if let target { sentences.append("Dashed: budget \(Quantity.limit(target, unit)).") }
    if !markers.isEmpty { sentences.append("Dotted: first day of a release.") }
    return sentences.joined(separator: " ")
  }
}

/// The numbers of a trend chart as a table, newest first.
struct TrendTable: Markup {
  var caption: String
  var lines: [TrendChart.Line]
  var unit: MetricUnit
  var markers: [ReleaseMarker] = []
  /// The page whose data contains these numbers.
  var source: Page
  /// The secondary table of that page with these numbers; nil for the main table.
  var table: AnswerTableName?
  /// Whether the numbers are also available as CSV.
  var hasTable = true
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("details") { html in
      html.element("summary", text: "Chart data as a table")
      html.write(
        Table(caption, of: (lines.first?.points ?? []).enumerated().reversed(), isWide: lines.count > 1) {
          Column.head(words.column) { head($0.element, &$1) }
          for line in lines {
            Column.number(line.name.isEmpty ? "Value" : line.name) { $1.number(line.estimate(at: $0.offset), unit) }
            Column.number("Interval") { $1.interval(line.estimate(at: $0.offset), unit) }
          }
          Column.count("n", \.element.n)
        })
      html.write(ChartDataLinks(page: source, table: table, hasTable: hasTable, links: links))
    }
  }

  private var words: TimeStepWords { TimeStepWords(lines.first?.points ?? []) }

  private func head(_ point: TrendPoint, _ html: inout HTMLWriter) {
    html.text(words.head(point))
    if let arrived = point.arrived { html.text(" (\(TrendWords.arrived(arrived)))") }
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

/// The numbers of several small charts as a table: one row per point, newest first, and one column per part.
struct TrendDataTable: Markup {
  var heading: String
  var statistic: String?
  var rows: [Breakdown]
  /// The page whose data contains these numbers.
  var source: Page
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard let points = rows.first?.trend else { return }
    let words = TimeStepWords(points)
    let what = statistic.map { ", \(ShortenedName.text($0))" } ?? ""
    html.element("details") { html in
      html.element("summary", text: "Chart data as a table")
      html.write(
        Table("\(heading), \(words.by)\(what)", of: points.indices.reversed(), style: "numbers") {
          Column.head(words.column) { words.head(points[$0]) }
          for row in rows {
            Column.number(ShortenedName.text(row.title, limit: 24)) { index in
              let estimate = row.trend.indices.contains(index) ? row.trend[index].estimate : .unknown
              return Quantity.text(estimate, row.report.unit)
            }.unstyled.named(nil)
          }
        })
      html.write(ChartDataLinks(page: source, table: .courses, links: links))
    }
  }
}
