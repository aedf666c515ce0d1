import Analysis
import Core

/// A table with one row per metric: the values of both sides, the difference and the verdict.
struct ComparisonTable: Markup {
  var comparison: ReleaseComparison
  /// The rows; by default the metrics of the comparison.
  var rows: [MetricComparison]
  /// Replaces what the table is about.
  var caption: String?
  /// The heading of the first column.
  var noun = "Metric"
  var links: Links

  init(comparison: ReleaseComparison, links: Links) {
    self.comparison = comparison
    rows = comparison.metrics
    self.links = links
  }

  func write(to html: inout HTMLWriter) {
    guard !rows.isEmpty else { return }
    html.write(
      Table(
        caption ?? "\(names.head) minus \(names.base), both \(comparison.window.text), with 95 % intervals",
        [
          Table.Column(title: noun), .number(names.base),
          .number(names.head), .number("Difference"), .number("All devices"), "Verdict",
        ], style: "stack lines"
      ) { html in
        for metric in rows { html.row { row(metric, &$0) } }
      })
  }

  private var names: (base: String, head: String) {
    (PlainName.text(comparison.names.base), PlainName.text(comparison.names.head))
  }

  private func row(_ metric: MetricComparison, _ html: inout HTMLWriter) {
    html.rowHead { rowHead(metric, &$0) }
    cell(metric.base, metric.unit, names.base, &html)
    cell(metric.head, metric.unit, names.head, &html)
    html.element("td", .class("n"), Self.head("Difference")) { html in
      html.text(metric.change(metric.difference?.value))
      guard metric.difference != nil else { return }
      html.literal(" ")
      html.element("span", .class("ci"), text: metric.changeInterval)
    }
    html.element("td", .class("n"), Self.head("All devices"), text: metric.change(metric.rawDifference))
    html.element("td", .class("answer")) { verdict(metric, &$0) }
  }

  private func rowHead(_ metric: MetricComparison, _ html: inout HTMLWriter) {
    guard let label = metric.label else {
      html.element("a", .href(links.href(.metric(app: comparison.app, name: metric.name)))) {
        $0.write(Name(metric.title))
      }
      if let statistic = metric.statistic { html.text(" " + statistic) }
      guard let id = LabelComparison.id(of: metric.name, in: comparison) else { return }
      html.literal(" ")
      html.element("small") { html in
        html.element("a", .href("#" + id), text: "by \(LabelComparison.noun(of: metric.name))")
      }
      return
    }
    // A label in parentheses, such as `(other)`, is no name that can be filtered by.
    guard links.style == .served, label.utf8.first != UInt8(ascii: "(") else { return html.write(Name(label)) }
    let page = Page.metric(app: comparison.app, name: metric.name)
    html.element("a", .href(links.href(page, links.filter.with(.label, label)))) { $0.write(Name(label)) }
  }

  /// The column's title for screens too narrow for columns, where CSS shows it above the cell.
  private static func head(_ title: String) -> Attribute { Attribute("data-head", title) }

  private func cell(_ value: ComparedValue, _ unit: MetricUnit, _ side: String, _ html: inout HTMLWriter) {
    html.element("td", .class("n"), Self.head(side)) { html in
      html.number(value.estimate, unit)
      if value.estimate.low != nil || value.estimate.high != nil {
        html.literal(" ")
        html.interval(value.estimate, unit)
      }
      html.literal(" ")
      html.element("span", .class("ci"), text: "n\u{A0}\(Decimal.grouped(value.n))")
    }
  }

  private func verdict(_ metric: MetricComparison, _ html: inout HTMLWriter) {
    html.element("span", .class("badge", metric.severity.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: metric.arrow)
      html.text(" " + Summary.capitalized(metric.severity.word))
    }
    let sentences = [
      metric.explanation(base: names.base, head: names.head),
      metric.mixExplanation(base: names.base, head: names.head),
    ]
    for sentence in sentences.compactMap({ $0 }) {
      html.element("p", .class("why"), text: Summary.capitalized(sentence) + ".")
    }
  }
}
