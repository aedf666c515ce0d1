import HTML
import Health
import Telemetry
import Wording

/// A table with one row per metric: the values of both releases, the difference and the verdict.
struct ComparisonTable: Markup {
  var comparison: ReleaseComparison
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !comparison.metrics.isEmpty else { return }
    html.write(
      Table(
        "Differences are head minus base, with their 95 % intervals",
        [
          "Metric", .number(PlainName.text(comparison.base)), .number(PlainName.text(comparison.head)),
          .number("Difference"), .number("All devices"), "Verdict",
        ], style: "stack"
      ) { html in
        for metric in comparison.metrics { html.row { row(metric, &$0) } }
      })
  }

  private func row(_ metric: MetricComparison, _ html: inout HTMLWriter) {
    html.rowHead { html in
      html.element("a", .href(links.href(.metric(app: comparison.app, name: metric.name)))) {
        $0.write(Name(metric.title))
      }
      if let statistic = metric.statistic { html.text(" " + statistic) }
    }
    cell(metric.base, metric.unit, comparison.base, &html)
    cell(metric.head, metric.unit, comparison.head, &html)
    html.element("td", .class("n"), Self.head("Difference")) { html in
      html.text(metric.change(metric.difference?.value))
      guard metric.difference != nil else { return }
      html.literal(" ")
      html.element("span", .class("ci"), text: metric.changeInterval)
    }
    html.element("td", .class("n"), Self.head("All devices"), text: metric.change(metric.rawDifference))
    html.element("td", .class("answer")) { verdict(metric, &$0) }
  }

  /// The column's title for screens too narrow for columns, where CSS shows it above the cell.
  private static func head(_ title: String) -> Attribute { Attribute("data-head", title) }

  private func cell(_ value: ComparedValue, _ unit: MetricUnit, _ release: String, _ html: inout HTMLWriter) {
    html.element("td", .class("n"), Self.head(PlainName.text(release))) { html in
      html.number(value.estimate.value, unit, isAtLeast: value.estimate.isAtLeast)
      if value.estimate.low != nil || value.estimate.high != nil {
        html.literal(" ")
        html.interval(value.estimate.low, value.estimate.high, unit)
      }
      html.literal(" ")
      html.element("span", .class("ci"), text: "n\u{A0}\(Decimal.grouped(value.n))")
    }
  }

  private func verdict(_ metric: MetricComparison, _ html: inout HTMLWriter) {
    html.element("span", .class("badge", metric.verdict.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: metric.arrow)
      html.text(" " + Summary.capitalized(metric.verdict.word))
    }
    // The releases are named by the columns.
    if let why = metric.explanation(base: "the base", head: "the head") {
      html.element("p", .class("why"), text: why)
    }
  }
}

extension ComparisonVerdict {
  /// The order of rows: the worst verdict first.
  static let severest: [Self] = [.worse, .notEnoughData, .noDifferenceShown, .better]

  var symbol: String {
    switch self {
    case .better: "✓"
    case .worse: "✕"
    case .noDifferenceShown: "="
    case .notEnoughData: "○"
    }
  }

  /// The CSS class that gives the colour.
  var style: StaticString {
    switch self {
    case .better, .noDifferenceShown: "within"
    case .worse: "broken"
    case .notEnoughData: "unsure"
    }
  }
}

extension MetricComparison {
  /// An arrow for the direction of the change; empty if it is unknown.
  var arrow: String {
    guard verdict == .better || verdict == .worse, let difference else { return verdict.symbol }
    return difference.value > 0 ? "↑" : "↓"
  }
}
