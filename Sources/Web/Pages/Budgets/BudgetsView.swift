import Analysis
import Core
import Storage

/// Every budget: its verdict, what is left of its error budget, and where it holds and where not.
enum BudgetsView {
  /// The page as UTF-8.
  static func render(_ budgets: BudgetsModel, _ context: PageContext) -> [UInt8] {
    let page = Page.budgets(app: budgets.app)
    let layout = Layout(
      page: page, title: "Budgets of " + PlainName.text(budgets.app), context: context,
      asOf: budgets.asOf,
      footer: "Payloads up to number \(Decimal.grouped(Int(budgets.digestedThrough))).")
    return layout.render { html in
      html.element("h1", text: "Budgets")
      html.element("p", .class("summary")) { html in
        guard context.budgetError == nil else { return html.text("Nothing is judged: the budget file has an error.") }
        html.write(AdviceBadge(budgets.judgement))
        html.text(" " + (budgets.judgement.release.map { PlainName.text($0.release.title) + ". " } ?? ""))
        html.text(budgets.judgement.reason)
      }
      html.write(VerdictCounts(counts: budgets.judgement.counts))
      if let note = budgets.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(
        FilterBar(
          page: page, window: budgets.window, slice: budgets.slice, context: context,
          isWholeApp: budgets.judgement.release == nil))
      guard context.budgetError == nil else { return }
      guard !budgets.rows.isEmpty else {
        return html.write(
          EmptyState(what: "No budget has data in these days.", app: budgets.app, links: layout.links))
      }
      html.write(BudgetTable(page: budgets, links: layout.links))
      for part in BudgetMatrix.parts {
        html.write(BudgetMatrix(heading: part.heading, dimension: part.dimension, page: budgets, links: layout.links))
      }
      html.write(BurnTable(burn: budgets.burn))
      html.element("p", .class("meta")) { html in
        html.text("Budgets are lines of a file in your app’s repository; ")
        html.element("code", text: "plumb budgets init")
        html.text(" writes a first one.")
      }
    }
  }
}
