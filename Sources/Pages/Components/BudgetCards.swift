import HTML
import Health
import Storage

/// Budgets with their verdicts, a card each.
struct BudgetCards: Markup {
  var heading: String
  var results: [BudgetResult]
  var window: Window

  func write(to html: inout HTMLWriter) {
    guard !results.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: heading)
      html.element("div", .class("cards")) { html in
        for result in results { html.write(BudgetCard(result: result, window: window)) }
      }
    }
  }
}

/// A budget, its verdict and its number.
struct BudgetCard: Markup {
  var result: BudgetResult
  var window: Window

  func write(to html: inout HTMLWriter) {
    let verdict = Optional(result.verdict)
    html.element("div", .class("card", verdict.style)) { html in
      html.write(VerdictBadge(verdict))
      html.write(BudgetFigure(result: result))
      html.write(BudgetLine(result: result, window: window))
    }
  }
}
