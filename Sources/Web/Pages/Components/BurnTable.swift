import Analysis
import Core
import Storage

/// The error budget left, and how fast crashes use it up.
struct BurnTable: Markup {
  var burn: BurnReport

  func write(to html: inout HTMLWriter) {
    guard let target = burn.target, burn.budgetLeft != nil || burn.windows.contains(where: { $0.longRate != nil })
    else { return }
    html.element("section") { html in
      html.element("h2", text: "Error budget")
      html.element("p", text: remainder(target))
      html.write(
        Table("Burn rates by time of receipt; at a rate of 1 the error budget lasts 28 days", of: burn.windows) {
          Column.head("Windows") {
            BurnPolicy.name(minutes: $0.policy.long) + " and " + BurnPolicy.name(minutes: $0.policy.short)
          }
          Column.number("Long") { rate($0.longRate) }
          Column.number("Short") { rate($0.shortRate) }
          Column.number("Limit") { rate($0.policy.factor) }
          Column.count("Crashed sessions", \.crashed)
          Column.count("Users", \.users)
          Column("State", text: state)
        })
    }
  }

  private func remainder(_ target: Double) -> String {
    let budget = "\(Quantity.limit(target, .ratio)) crash-free sessions"
    guard let left = burn.budgetLeft else { return "The remaining error budget of \(budget) is unknown." }
    let used = "The last 28 days used \(Quantity.share(1 - left)) of the crashed sessions that \(budget) allow."
    return (left < 0 ? "The error budget is spent. " : "\(Quantity.share(left)) of the error budget is left. ") + used
  }

  private func rate(_ rate: Double?) -> String { rate.map { Decimal.fixed($0, 1) } ?? Quantity.unknown }

  private func state(_ window: BurnWindow) -> String {
    if window.fires { return "Burning too fast" }
    return window.longRate == nil ? Quantity.unknown : "OK"
  }
}
