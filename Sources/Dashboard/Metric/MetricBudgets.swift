import HTML
import Health
import Telemetry

/// The budgets on a metric with their verdicts, and what to open first when one breaks.
struct MetricBudgets: Markup {
  var page: MetricPage

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: page.budgets.count > 1 ? "Budgets" : "Budget")
      if page.budgets.isEmpty { html.element("p", text: "No budget is set on this metric.") }
      html.element("div", .class("cards")) { html in
        for result in page.budgets { card(result, &html) }
      }
      if let advice = page.metric?.advice {
        html.element("p", .class("advice")) { html in
          html.element("strong", text: "When it breaks: ")
          html.text(advice)
        }
      }
    }
  }

  private func card(_ result: BudgetResult, _ html: inout HTMLWriter) {
    let verdict = Optional(result.verdict)
    html.element("div", .class("card", verdict.style)) { html in
      html.write(VerdictBadge(verdict))
      html.write(BudgetFigure(result: result))
      html.write(BudgetLine(result: result, window: page.window))
    }
  }
}
