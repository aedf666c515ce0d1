import Analysis
import Core

/// A table with one row per metric: the values of both sides, the difference and the verdict.
struct ComparisonTable: Markup {
  var comparison: ReleaseComparison
  /// The rows; by default the metrics of the comparison.
  var rows: [MetricComparison]
  /// Replaces the caption of the table.
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
        caption ?? "\(names.head) minus \(names.base), both \(comparison.window.text), with 95 % intervals", of: rows,
        style: "stack lines"
      ) {
        Column.head(noun, content: rowHead)
        Column.number(names.base) { value($0.base, $0.unit, &$1) }
        Column.number(names.head) { value($0.head, $0.unit, &$1) }
        Column.number("Difference") { metric, html in
          html.text(metric.change(metric.difference?.value))
          guard metric.difference != nil else { return }
          html.literal(" ")
          html.element("span", .class("ci"), text: metric.changeInterval)
        }
        Column.number("All devices") { $0.change($0.rawDifference) }
        Column("Verdict", .class("answer"), content: verdict).named(nil)
      })
  }

  private var names: (base: String, head: String) {
    (ShortenedName.text(comparison.names.base), ShortenedName.text(comparison.names.head))
  }

  private func rowHead(_ metric: MetricComparison, _ html: inout HTMLWriter) {
    guard let label = metric.label else {
      html.element("a", .href(links.href(.metric(app: comparison.app, name: metric.name)))) {
        $0.write(Name(metric.title))
      }
      if let statistic = metric.statistic { html.text(" " + statistic) }
      guard let id = LabelChangesSection.id(of: metric.name, in: comparison) else { return }
      html.literal(" ")
      html.element("small") { html in
        html.element("a", .href("#" + id), text: "by \(LabelChangesSection.noun(of: metric.name))")
      }
      return
    }
    // A label in parentheses, such as `(other)`, cannot be a filter.
    guard links.style == .served, label.utf8.first != UInt8(ascii: "(") else { return html.write(Name(label)) }
    let page = Page.metric(app: comparison.app, name: metric.name)
    html.element("a", .href(links.href(page, links.filter.with(.label, label)))) { $0.write(Name(label)) }
  }

  private func value(_ value: ComparedValue, _ unit: MetricUnit, _ html: inout HTMLWriter) {
    html.estimate(value.estimate, unit)
    html.literal(" ")
    html.element("span", .class("ci"), text: "n\u{A0}\(Decimal.grouped(value.n))")
  }

  private func verdict(_ metric: MetricComparison, _ html: inout HTMLWriter) {
    html.element("span", .class("badge", metric.severity.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: metric.arrow)
      html.text(" " + SentenceWords.capitalized(metric.severity.word))
    }
    let sentences = [
      metric.explanation(base: names.base, head: names.head),
      metric.mixExplanation(base: names.base, head: names.head),
    ]
    for sentence in sentences.compactMap({ $0 }) {
      html.element("p", .class("why"), text: SentenceWords.capitalized(sentence) + ".")
    }
  }
}

extension ComparisonSeverity {
  var word: String {
    switch self {
    case .worse: "worse"
    case .slightlyWorse: "slightly worse"
    case .maybeWorse: "maybe worse"
    case .noDifference: "no difference shown"
    case .better: "better"
    case .notEnoughData: "not enough data"
    }
  }

  var symbol: String {
    switch self {
    case .worse: "✕"
    case .slightlyWorse, .maybeWorse: "▲"
    case .noDifference: "="
    case .better: "✓"
    case .notEnoughData: "○"
    }
  }

  /// The CSS class that gives the colour.
  var style: StaticString {
    switch self {
    case .worse: "broken"
    case .slightlyWorse, .maybeWorse: "warning"
    case .noDifference, .better: "within"
    case .notEnoughData: "unsure"
    }
  }
}

extension MetricComparison {
  /// An arrow for the direction of the change; the severity's symbol if there is none.
  var arrow: String {
    guard verdict == .better || verdict == .worse, let difference else { return severity.symbol }
    return difference.value > 0 ? "↑" : "↓"
  }

  /// What is compared: a label, or the metric with its statistic.
  var rowTitle: String { label ?? [title, statistic].compactMap { $0 }.joined(separator: " ") }
}
