import Analysis
import Core

extension HTMLWriter {
  /// Writes a number for display, with its exact value on hover.
  mutating func number(_ value: Double?, _ unit: MetricUnit, isAtLeast: Bool = false) {
    let text = Quantity.text(value, unit)
    guard let exact = Quantity.exact(value, unit) else { return self.text(text) }
    element("span", .title(exact), text: isAtLeast ? "≥\u{A0}" + text : text)
  }

  /// Writes a number with as many decimals as its interval needs, and its exact value on hover.
  mutating func number(_ estimate: Estimate?, _ unit: MetricUnit) {
    let text = Quantity.text(estimate, unit)
    guard let exact = Quantity.exact(estimate?.value, unit) else { return self.text(text) }
    element("span", .title(exact), text: text)
  }

  /// Writes the interval of a number.
  mutating func interval(_ estimate: Estimate, _ unit: MetricUnit) {
    element("span", .class("ci"), text: Quantity.interval(estimate, unit))
  }

  /// Writes a table cell with a number and its interval below. `head`: the column's title for a screen too narrow for
  /// columns, where CSS shows it beside the number.
  mutating func estimateCell(_ estimate: Estimate?, _ unit: MetricUnit, head: String? = nil) {
    element("td", .class("n"), Attribute("data-head", head)) { html in
      html.number(estimate, unit)
      guard let estimate, estimate.low != nil || estimate.high != nil else { return }
      html.literal(" ")
      html.interval(estimate, unit)
    }
  }

  /// Writes a table cell with a count; nil means unknown. `head`: as of `estimateCell`.
  mutating func countCell(_ count: Int?, head: String? = nil) {
    element(
      "td", .class("n"), Attribute("data-head", head), text: count.map(Decimal.grouped) ?? Quantity.unknown)
  }

  /// Writes a table cell with a verdict.
  mutating func verdictCell(_ verdict: Verdict?) {
    element("td", .class("answer")) { html in
      if let verdict { html.write(VerdictBadge(verdict)) } else { html.text(Quantity.unknown) }
    }
  }
}
