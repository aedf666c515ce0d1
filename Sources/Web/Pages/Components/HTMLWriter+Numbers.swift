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

  /// Writes a number with its interval below, into a cell.
  mutating func estimate(_ estimate: Estimate?, _ unit: MetricUnit) {
    number(estimate, unit)
    guard let estimate, estimate.low != nil || estimate.high != nil else { return }
    literal(" ")
    interval(estimate, unit)
  }
}
