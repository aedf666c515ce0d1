import HTML
import Health
import Telemetry
import Wording

extension HTMLWriter {
  /// A number for people, its exact value on hover.
  mutating func number(_ value: Double?, _ unit: MetricUnit, isAtLeast: Bool = false) {
    let text = Quantity.text(value, unit)
    guard let exact = Quantity.exact(value, unit) else { return self.text(text) }
    element("span", .title(exact), text: isAtLeast ? "≥\u{A0}" + text : text)
  }

  /// The interval of a number.
  mutating func interval(_ low: Double?, _ high: Double?, _ unit: MetricUnit) {
    element("span", .class("ci"), text: Quantity.interval(low, high, unit))
  }

  /// A number with its interval below it, in a cell of a table.
  mutating func estimateCell(_ estimate: Estimate?, _ unit: MetricUnit, isAtLeast: Bool = false) {
    element("td", .class("n")) { html in
      html.number(estimate?.value, unit, isAtLeast: isAtLeast)
      guard let estimate, estimate.low != nil || estimate.high != nil else { return }
      html.literal(" ")
      html.interval(estimate.low, estimate.high, unit)
    }
  }

  /// A count in a cell; nil is unknown.
  mutating func countCell(_ count: Int?) {
    element("td", .class("n"), text: count.map(Decimal.grouped) ?? Quantity.unknown)
  }

  /// A verdict in a cell.
  mutating func verdictCell(_ verdict: Verdict?) {
    element("td") { html in
      if let verdict { html.write(VerdictBadge(verdict)) } else { html.text(Quantity.unknown) }
    }
  }
}
