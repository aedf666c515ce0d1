import HTML
import Health
import Telemetry

/// The budgets on a metric with their verdicts, and what to open first when one breaks.
struct MetricBudgets: Markup {
  var page: MetricModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: page.budgets.count > 1 ? "Budgets" : "Budget")
      if page.budgets.isEmpty { html.element("p", text: "No budget is set on this metric.") }
      html.element("div", .class("cards")) { html in
        for result in page.budgets { html.write(BudgetCard(result: result, window: page.window)) }
      }
      if page.budgets.contains(where: { $0.verdict == .broken || $0.verdict == .warning }) {
        html.write(AdviceCard(advice: page.metric?.advice, guide: page.metric?.guide, links: links))
      } else {
        html.write(
          AdviceLine(lead: "When it breaks: ", advice: page.metric?.advice, guide: page.metric?.guide, links: links))
      }
    }
  }
}
