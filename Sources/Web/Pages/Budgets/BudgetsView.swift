import Analysis
import Core
import Storage

/// Every budget: its verdict, the error budget left, and the verdicts on each part of the data.
enum BudgetsView {
  /// The page as UTF-8.
  static func render(_ budgets: BudgetsModel, _ context: PageContext) -> [UInt8] {
    let page = Page.budgets(app: budgets.app)
    let layout = Layout(
      page: page, title: "Budgets of " + ShortenedName.text(budgets.app), context: context,
      asOf: budgets.asOf,
      footer: "Based on all payloads up to no. \(Decimal.grouped(Int(budgets.digestedThrough))).")
    return layout.render { html in
      html.element("h1", text: "Budgets")
      html.element("p", .class("summary")) { html in
        guard context.budgetError == nil else { return html.text("Nothing is judged: the budget file has an error.") }
        html.write(AdviceBadge(budgets.judgement))
        html.text(" " + (budgets.judgement.release.map { ShortenedName.text($0.release.title) + ". " } ?? ""))
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
          EmptyState(what: "No budget has data in this period.", app: budgets.app, links: layout.links))
      }
      html.write(BudgetTable(page: budgets, links: layout.links))
      for part in BudgetMatrix.parts {
        html.write(BudgetMatrix(heading: part.heading, dimension: part.dimension, page: budgets, links: layout.links))
      }
      html.write(BurnTable(burn: budgets.burn))
      html.element("p", .class("meta")) { html in
        html.text("Budgets are lines in a file in your app’s repository. ")
        html.element("code", text: "plumb budgets init")
        html.text(" writes the first version.")
      }
    }
  }
}

/// A table with one row per budget.
struct BudgetTable: Markup {
  var page: BudgetsModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "All budgets")
      html.write(
        Table(
          "The error budget is the share of bad events that a budget allows, such as 10 % for a p90", of: worstFirst,
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

  private var now: String { page.judgement.release.map { ShortenedName.text($0.release.title) } ?? "Value" }
  private var before: String? { page.judgement.previous.map { ShortenedName.text($0.release.title) } }

  private var worstFirst: [BudgetRow] {
    page.rows.enumerated().sorted {
      (Optional($0.element.result.verdict).severity, $0.offset) < (
        Optional($1.element.result.verdict).severity, $1.offset
      )
    }.map(\.element)
  }
}

/// A table with one row per budget and one column per part of the data.
struct BudgetMatrix: Markup {
  var heading: String
  var dimension: String
  var page: BudgetsModel
  var links: Links

  static let parts = [
    (heading: "By release", dimension: "release"), (heading: "By device class", dimension: "device_class"),
    (heading: "By OS version", dimension: "os"),
  ]

  /// The maximum number of columns.
  private static let shown = 6

  func write(to html: inout HTMLWriter) {
    let keys = self.keys
    guard !keys.isEmpty else { return }
    let rows = page.rows.filter { $0.slices.contains { $0.dimension == dimension } }
    html.element("section") { html in
      html.element("h2", text: heading)
      html.write(
        Table("Verdicts \(EventNoun.withinSentence(heading))", of: rows) {
          Column.head("Budget") { row, html in
            html.write(Name(row.title))
            html.text(" ")
            html.element("small") { $0.element("code") { $0.write(Name(row.result.budget)) } }
          }
          for key in keys { Column(ShortenedName.text(key)) { verdict($0, key, &$1) } }
        })
    }
  }

  /// The parts with the most events; releases are sorted newest first.
  private var keys: [String] {
    var weights: [String: Int] = [:]
    for slice in page.rows.flatMap(\.slices) where slice.dimension == dimension {
      let (sum, overflow) = weights[slice.key, default: 0].addingReportingOverflow(slice.result.n)
      weights[slice.key] = overflow ? .max : sum
    }
    let largest = weights.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.shown).map(\.key)
    return dimension == "release" ? largest.sorted { VersionOrder.precedes($1, $0) } : largest
  }

  private func verdict(_ row: BudgetRow, _ key: String, _ html: inout HTMLWriter) {
    guard let slice = row.slices.first(where: { $0.dimension == dimension && $0.key == key }) else {
      return html.text(Quantity.unknown)
    }
    html.write(VerdictBadge(slice.result.verdict))
    html.element("p", .class("reading")) { html in
      html.number(slice.result.estimate, slice.result.unit)
      html.text(" · n\u{A0}\(Decimal.grouped(slice.result.n))")
    }
  }
}
