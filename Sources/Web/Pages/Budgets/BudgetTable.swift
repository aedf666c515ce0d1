import Analysis
import Core

/// A table with one row per budget.
struct BudgetTable: Markup {
  var page: BudgetsModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "All budgets")
      html.write(
        Table(
          "The error budget is the share of bad events that a budget allows: of a p90, a tenth", of: worstFirst,
          style: "stack brief"
        ) {
          Column.head("Metric") { row, html in
            html.element("a", .href(links.href(.metric(app: page.app, name: row.result.metric)))) {
              $0.write(Name(row.title))
            }
          }
          Column("Budget", .class("full")) { row, html in
            html.element("code") { $0.write(Name(row.result.budget)) }
            if let scope = row.result.scope(beside: page.slice) {
              html.text(" for ")
              html.write(Name(scope))
            }
          }
          Column("Verdict", .class("wide")) { row, html in
            html.write(VerdictBadge(row.result.verdict))
            if let explanation = row.result.explanation { html.element("p", .class("why"), text: explanation) }
          }
          Column.estimate(now, \.result.unit, \.result.estimate)
          if let before {
            Column.estimate(before, \.result.unit) { $0.before.map { Estimate(value: $0.value) } }
          }
          Column.count("n", \.result.n)
          Column("Error budget left", .class("adoption")) { row, html in
            guard let left = row.errorBudgetLeft else { return html.text(Quantity.unknown) }
            html.text(left < 0 ? "\(Quantity.share(1 - left)) used" : Quantity.share(left))
            html.write(ShareBar(left))
          }
        })
    }
  }

  private var now: String { page.judgement.release.map { PlainName.text($0.release.title) } ?? "Value" }
  private var before: String? { page.judgement.previous.map { PlainName.text($0.release.title) } }

  private var worstFirst: [BudgetRow] {
    page.rows.enumerated().sorted {
      (Optional($0.element.result.verdict).severity, $0.offset) < (
        Optional($1.element.result.verdict).severity, $1.offset
      )
    }.map(\.element)
  }
}
