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
          "The error budget is the share of bad events that a budget allows: of a p90, a tenth",
          ["Metric", "Budget", "Verdict", .number(now)] + (before.map { [.number($0)] } ?? [])
            + [.number("n"), "Error budget left"], style: "stack brief"
        ) { html in
          for row in worstFirst { html.row { self.row(row, &$0) } }
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

  private func row(_ row: BudgetRow, _ html: inout HTMLWriter) {
    let result = row.result
    html.rowHead { html in
      html.element("a", .href(links.href(.metric(app: page.app, name: result.metric)))) { $0.write(Name(row.title)) }
    }
    html.element("td", .class("full"), .column("Budget")) { html in
      html.element("code") { $0.write(Name(result.budget)) }
      if let scope = result.scope(beside: page.slice) {
        html.text(" for ")
        html.write(Name(scope))
      }
    }
    html.element("td", .class("wide"), .column("Verdict")) { html in
      html.write(VerdictBadge(result.verdict))
      if let explanation = result.explanation { html.element("p", .class("why"), text: explanation) }
    }
    html.estimateCell(result.estimate, result.unit, head: now)
    if let before { html.estimateCell(row.before.map { Estimate(value: $0.value) }, result.unit, head: before) }
    html.countCell(result.n, head: "n")
    html.element("td", .class("adoption"), .column("Error budget left")) { html in
      guard let left = row.errorBudgetLeft else { return html.text(Quantity.unknown) }
      html.text(left < 0 ? "\(Quantity.share(1 - left)) used" : Quantity.share(left))
      html.write(ShareBar(left))
    }
  }
}
