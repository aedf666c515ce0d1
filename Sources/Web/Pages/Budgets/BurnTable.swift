import Analysis
import Core

/// What is left of the error budget, and how fast crashes use it up.
struct BurnTable: Markup {
  var burn: BurnReport

  func write(to html: inout HTMLWriter) {
    guard let target = burn.target, burn.budgetLeft != nil || burn.windows.contains(where: { $0.longRate != nil })
    else { return }
    html.element("section") { html in
      html.element("h2", text: "Error budget")
      html.element("p", text: remainder(target))
      html.write(
        Table(
          "Burn rate by arrival: at 1 the error budget lasts 28 days",
          [
            "Windows", .number("Long"), .number("Short"), .number("Limit"), .number("Crashed sessions"),
            .number("Users"), "State",
          ]
        ) { html in
          for window in burn.windows { html.row { row(window, &$0) } }
        })
    }
  }

  private func remainder(_ target: Double) -> String {
    let budget = "\(Quantity.limit(target, .ratio)) crash-free sessions"
    guard let left = burn.budgetLeft else { return "How much of the error budget of \(budget) is left is not known." }
    let used = "the last 28 days used \(Quantity.share(1 - left)) of the crashed sessions that \(budget) allow."
    return (left < 0 ? "The error budget is spent: " : "\(Quantity.share(left)) of the error budget is left: ") + used
  }

  private func row(_ window: BurnWindow, _ html: inout HTMLWriter) {
    let policy = window.policy
    html.rowHead(text: BurnPolicy.name(minutes: policy.long) + " and " + BurnPolicy.name(minutes: policy.short))
    html.element("td", .class("n"), text: rate(window.longRate))
    html.element("td", .class("n"), text: rate(window.shortRate))
    html.element("td", .class("n"), text: rate(policy.factor))
    html.countCell(window.crashed)
    html.countCell(window.users)
    html.element("td", text: state(window))
  }

  private func rate(_ rate: Double?) -> String { rate.map { Decimal.fixed($0, 1) } ?? Quantity.unknown }

  private func state(_ window: BurnWindow) -> String {
    if window.fires { return "Burning too fast" }
    return window.longRate == nil ? Quantity.unknown : "Calm"
  }
}
