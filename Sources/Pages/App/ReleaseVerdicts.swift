import HTML
import Health
import Storage
import Telemetry
import Wording

/// A table of budgets on the two newest releases, each over its own lifetime: one row per budget, one column per
/// release.
struct ReleaseVerdicts: Markup {
  var app: String
  var results: [BudgetResult]
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !results.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Newest releases")
      html.element("p", text: "Each release over its own life.")
      html.write(
        Table("Budgets on the newest releases", ["Budget"] + releases.map { Table.Column(title: PlainName.text($0)) }) {
          html in
          for budget in budgets { html.row { row(budget, &$0) } }
        })
    }
  }

  private var releases: [String] { Self.unique(results.map { $0.slice.release ?? "" }) }
  private var budgets: [String] { Self.unique(results.map(\.budget)) }

  private func row(_ budget: String, _ html: inout HTMLWriter) {
    html.rowHead { html in
      if let metric = results.first(where: { $0.budget == budget })?.metric {
        let title = Catalogue.metric(named: metric)?.title ?? metric
        html.element("a", .href(links.href(.metric(app: app, name: metric)))) { $0.write(Name(title)) }
        html.text(" ")
      }
      html.write(Name(BudgetWords.limit(budget)))
    }
    for release in releases {
      let result = results.first { $0.budget == budget && ($0.slice.release ?? "") == release }
      html.element("td") { cell(result, &$0) }
    }
  }

  private func cell(_ result: BudgetResult?, _ html: inout HTMLWriter) {
    guard let result else { return html.text(Quantity.unknown) }
    html.write(VerdictBadge(result.verdict))
    if let explanation = result.explanation { html.element("p", .class("why"), text: explanation) }
    guard result.value != nil else { return }
    html.element("p", .class("reading")) { html in
      html.number(result.estimate, result.unit)
      if result.low != nil || result.high != nil {
        html.literal(" ")
        html.interval(result.estimate, result.unit)
      }
      html.text(" · n\u{A0}\(Decimal.grouped(result.n))")
    }
  }

  private static func unique(_ values: [String]) -> [String] {
    var seen: Set<String> = []
    return values.filter { seen.insert($0).inserted }
  }
}
