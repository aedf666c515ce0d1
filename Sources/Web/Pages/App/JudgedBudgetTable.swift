import Analysis
import Core
import Storage

/// Budgets with current value, previous value and limit; broken ones also with devices, first day and advice.
struct JudgedBudgetTable {
  var app: String
  var judgement: Judgement
  /// Links that keep the release.
  var links: Links

  /// The section of budgets that are broken or at warning level; empty if there are none.
  func broken(_ budgets: [JudgedBudget]) -> some Markup {
    Section(
      heading: "What broke", caption: "Broken or at warning level: \(caption)", table: self, budgets: budgets,
      isBroken: true)
  }

  /// The section of budgets that are shown nowhere else on the page.
  func others(_ budgets: [JudgedBudget]) -> some Markup {
    Section(
      heading: "Other budgets", caption: "Within budget, or not enough data: \(caption)", table: self, budgets: budgets,
      isBroken: false)
  }

  private var caption: String {
    guard let release = judgement.release else { return "all releases, \(judgement.window.text)" }
    let other = before.map { ", compared with \($0) over its lifetime" } ?? ""
    return "\(ShortenedName.text(release.release.title)), \(judgement.window.text)\(other), with 95 % intervals"
  }

  fileprivate var now: String { judgement.release.map { ShortenedName.text($0.release.title) } ?? "Value" }
  fileprivate var before: String? { judgement.previous.map { ShortenedName.text($0.release.title) } }

  private struct Section: Markup {
    var heading: String
    var caption: String
    var table: JudgedBudgetTable
    var budgets: [JudgedBudget]
    var isBroken: Bool

    func write(to html: inout HTMLWriter) {
      guard !budgets.isEmpty else { return }
      html.element("section") { html in
        html.element("h2", text: heading)
        html.write(
          Table(caption, of: budgets, style: "stack brief") {
            Column.head("Metric", content: name)
            Column.number(table.now) { value($0.result, &$1) }
            if let before = table.before {
              Column.number(before) { budget, html in
                guard let result = budget.before else { return html.text(Quantity.unknown) }
                html.number(result.estimate, result.unit)
              }.styled("n", "soft")
            }
            Column.number("Limit", text: \.result.limitText)
            if isBroken {
              Column("Worst", .class("wide"), content: worst)
              Column("Since", .class("date"), text: since)
            }
            Column("Trend", content: trend)
          })
      }
    }

    private func name(_ budget: JudgedBudget, _ html: inout HTMLWriter) {
      let result = budget.result
      html.write(VerdictSymbol(result.verdict))
      html.element("a", .href(table.links.href(.metric(app: table.app, name: result.metric)))) {
        $0.write(Name(budget.title))
      }
      if let statistic = result.statistic { html.text(" " + ShortenedName.text(statistic)) }
      if let scope = result.scope(beside: table.judgement.slice) {
        html.text(" for ")
        html.write(Name(scope))
      }
      if let explanation = result.explanation { html.element("p", .class("why"), text: explanation) }
      if isBroken { html.write(NextSteps(budget: budget, app: table.app, links: table.links)) }
    }

    private func value(_ result: BudgetResult, _ html: inout HTMLWriter) {
      html.element("strong") { $0.number(result.estimate, result.unit) }
      html.literal(" ")
      html.element("span", .class("ci"), text: bounds(result))
    }

    /// The interval, and the number of events where the table has room for it.
    private func bounds(_ result: BudgetResult) -> String {
      let count = "n\u{A0}\(Decimal.grouped(result.n))"
      guard result.low != nil || result.high != nil else { return count }
      let interval = Quantity.interval(result.estimate, result.unit)
      return isBroken ? interval : "\(interval), \(count)"
    }

    private func since(_ budget: JudgedBudget) -> String {
      guard let since = budget.since else { return "on and off" }
      return budget.wasBroken ? "\(since.iso) or earlier" : since.iso
    }

    /// Writes the worst device class and the worst label, such as a screen, that have the same verdict as the budget.
    private func worst(_ budget: JudgedBudget, _ html: inout HTMLWriter) {
      let worst = [budget.classes.first, budget.labels.first].compactMap { $0 }
        .filter { $0.result.verdict == budget.result.verdict }
      guard !worst.isEmpty else {
        return html.text(budget.classes.isEmpty ? Quantity.unknown : "no single device class")
      }
      for part in worst {
        html.element("div") { html in
          html.write(Name(part.key))
          html.text(" ")
          html.element("strong") { $0.number(part.result.estimate, part.result.unit) }
        }
      }
    }

    private func trend(_ budget: JudgedBudget, _ html: inout HTMLWriter) {
      guard budget.trend.contains(where: { $0.estimate.value != nil }) else { return html.text(Quantity.unknown) }
      html.write(
        Sparkline(
          title: "\(ShortenedName.text(budget.title)) \(TimeStepWords(budget.trend).by)", points: budget.trend,
          unit: budget.result.unit, direction: budget.result.direction, before: budget.trendBefore))
    }
  }
}

/// What to check first, the usual causes and the guide, behind a disclosure.
struct NextSteps: Markup {
  var budget: JudgedBudget
  var app: String
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard budget.advice != nil || budget.guide != nil else { return }
    html.element("details", .class("next")) { html in
      html.element("summary", text: "Causes")
      html.write(
        AdviceCard(
          advice: budget.advice, guide: budget.guide, links: links,
          firstLook: FirstLook(metric: budget.result.metric, app: app, release: nil, links: links)))
    }
  }
}

/// A verdict as a symbol in a table, with its word for screen readers.
struct VerdictSymbol: Markup {
  var verdict: Verdict?

  init(_ verdict: Verdict?) { self.verdict = verdict }

  func write(to html: inout HTMLWriter) {
    html.element("span", .class("tone", verdict.style), .title(verdict.word)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
      html.element("span", .class("unseen"), text: verdict.word + ": ")
    }
    html.text(" ")
  }
}

/// Which budgets an app's page shows as cards.
enum JudgedBudgetOrder {
  /// The most cards.
  private static let cards = 6

  /// Splits the budgets: crash-free rates, launches, hangs and memory become cards, other budgets that are not broken a
  /// table. Broken budgets have a separate table.
  static func split(_ budgets: [JudgedBudget]) -> (cards: [JudgedBudget], others: [JudgedBudget]) {
    let main = budgets.indices.compactMap { index in
      budgets[index].result.value == nil ? nil : family(budgets[index]).map { (family: $0, index: index) }
    }
    .sorted { $0 < $1 }.prefix(cards).map(\.index)
    let others = budgets.indices.filter { !main.contains($0) && !budgets[$0].isBad }
    return (main.map { budgets[$0] }, others.map { budgets[$0] })
  }

  private static func family(_ budget: JudgedBudget) -> Int? {
    switch budget.result.metric.prefix(while: { $0 != "." }) {
    case "sessions", "users", "exits": 0
    case "launch": 1
    case "hang": 2
    case "memory": 3
    default: nil
    }
  }
}

extension JudgedBudget {
  fileprivate var isBad: Bool { result.verdict == .broken || result.verdict == .warning }
}
