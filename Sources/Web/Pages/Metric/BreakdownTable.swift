import Analysis
import Core

/// A table of a metric by release, device, label or another dimension.
struct BreakdownTable: Markup {
  var heading: String
  var dimension: String
  var rows: [Breakdown]
  var direction: Metric.Direction
  /// The column's heading for a metric that has only one number.
  var noun = "Value"
  /// The page whose data contains all rows.
  var source: Page
  var links: Links
  /// The filter that a row's link sets; nil in a static export, which cannot be filtered.
  var part: FilterPart?

  /// The maximum number of rows shown. On a phone, readers look only at the first rows and at broken ones.
  private static let most = 15

  func write(to html: inout HTMLWriter) {
    guard !rows.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: heading)
      html.write(
        Table("\(heading), with 95 % intervals", of: shown, style: "lines") {
          Column.head(dimension, content: name)
          if ranks.isEmpty { Column.estimate(noun, \.report.unit, \.report.value) }
          for rank in ranks { Column.estimate("p\(rank)", \.report.unit) { $0.report.percentiles[rank] } }
          Column.count("n", \.report.n)
          if isJudged {
            Column("Verdict", .class("answer")) { row, html in
              if let verdict = row.verdict { html.write(VerdictBadge(verdict)) } else { html.text(Quantity.unknown) }
            }.named(nil)
          }
        })
      if shown.count < rows.count { rest(&html) }
    }
  }

  private var shown: [Breakdown] {
    let others = rows.dropFirst(Self.most)
    return Array(rows.prefix(Self.most)) + others.filter { $0.verdict == .broken }.prefix(Self.most)
  }

  private func rest(_ html: inout HTMLWriter) {
    let left = rows.count - shown.count
    html.element("p", .class("data")) { html in
      html.text("\(left) more \(left == 1 ? "row is" : "rows are") in the data: ")
      html.element("a", .href(links.href(.data(of: source, .json))), text: "JSON")
      html.text(", ")
      html.element("a", .href(links.href(.table(of: source, .parts))), text: "CSV")
    }
  }

  private var ranks: [Int] {
    rows.contains { $0.report.kind == .distribution } ? Ranks.shown(direction) : []
  }

  /// Whether any row has a verdict; without one the column is omitted.
  private var isJudged: Bool { rows.contains { $0.verdict != nil } }

  private func name(_ row: Breakdown, _ html: inout HTMLWriter) {
    // A key in parentheses, such as `(other)`, cannot be a filter.
    if let part, links.style == .served, row.title.utf8.first != UInt8(ascii: "(") {
      html.element("a", .href("?" + links.filter.with(part, row.key).text(FilterPart.allCases))) {
        $0.write(Name(row.title))
      }
    } else {
      html.write(Name(row.title))
    }
    if row.title != row.key, part != .attribute {
      html.literal(" ")
      html.element("small") { $0.write(Name(row.key)) }
    }
  }
}

/// A breakdown of the metric by one dimension.
struct MetricParts {
  var heading: String
  var dimension: String
  var rows: [Breakdown]
  var part: FilterPart

  /// A breakdown for each of the app's attributes, whose name is part of each row's key.
  static func byAttribute(_ rows: [Breakdown]) -> [MetricParts] {
    let names = rows.map { AttributeFilter($0.key)?.name ?? "attribute" }
    return SentenceWords.unique(names).map { name in
      MetricParts(
        heading: "By \(name)", dimension: SentenceWords.capitalized(name),
        rows: zip(names, rows).filter { $0.0 == name }.map(\.1), part: .attribute)
    }
  }

  init(heading: String, dimension: String, rows: [Breakdown], part: FilterPart) {
    (self.heading, self.dimension, self.rows, self.part) = (heading, dimension, rows, part)
  }

  static func all(_ page: MetricModel) -> [MetricParts] {
    let label = page.metric?.labelledBy ?? "label"
    return [
      MetricParts(heading: "By release", dimension: "Release", rows: page.byRelease, part: .release),
      MetricParts(heading: "By device class", dimension: "Device class", rows: page.byDeviceClass, part: .deviceClass),
      MetricParts(heading: "By OS version", dimension: "OS version", rows: page.bySystem, part: .os),
      MetricParts(
        heading: "By \(label)", dimension: SentenceWords.capitalized(label), rows: page.byLabel, part: .label),
    ] + byAttribute(page.byAttribute) + [
      MetricParts(heading: "By model", dimension: "Model", rows: page.byDevice, part: .device)
    ]
  }
}
