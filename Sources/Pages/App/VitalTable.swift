import HTML
import Health
import Telemetry
import Wording

/// A table of the budgets that are not shown as cards.
struct VitalTable: Markup {
  var app: String
  var vitals: [Vital]
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !vitals.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Other budgets")
      html.write(
        Table(
          "Budgets beside the vitals above",
          ["Metric", "Budget", .number("Value and bounds"), .number("n"), "Verdict", "Trend"]
        ) { html in
          for vital in vitals { html.row { row(vital, &$0) } }
        })
    }
  }

  private func row(_ vital: Vital, _ html: inout HTMLWriter) {
    let result = vital.result
    html.rowHead { html in
      html.element("a", .href(links.href(.metric(app: app, name: result.metric)))) { $0.write(Name(vital.title)) }
      if let scope = result.scope {
        html.text(" on ")
        html.write(Name(scope))
      }
    }
    html.element("td") { $0.write(Name(BudgetWords.limit(result.budget))) }
    html.estimateCell(result.estimate, result.unit)
    html.countCell(result.n)
    html.element("td") { html in
      html.write(VerdictBadge(result.verdict))
      if let explanation = result.explanation { html.element("p", .class("why"), text: explanation) }
    }
    html.element("td") { html in
      guard vital.trend.contains(where: { $0.estimate.value != nil }) else { return html.text(Quantity.unknown) }
      html.write(
        Sparkline(
          title: "\(PlainName.text(vital.title)) \(StepWords(vital.trend).by)", points: vital.trend, unit: result.unit,
          direction: result.direction))
    }
  }
}
