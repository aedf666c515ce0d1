import Analysis
import Core
import Storage

/// The most important budgets, each as a card with a chart.
struct VitalCards: Markup {
  var app: String
  var judgement: Judgement
  var budgets: [JudgedBudget]
  /// Links that keep the release.
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !budgets.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Vitals")
      html.element("div", .class("cards")) { html in
        for budget in budgets { html.write(VitalCard(app: app, judgement: judgement, budget: budget, links: links)) }
      }
    }
  }
}

/// One budget: its verdict, its value with interval and n, and its trend beside that of the previous release.
struct VitalCard: Markup {
  var app: String
  var judgement: Judgement
  var budget: JudgedBudget
  var links: Links

  private var result: BudgetResult { budget.result }

  func write(to html: inout HTMLWriter) {
    let verdict = Optional(result.verdict)
    html.element("article", .class("card", verdict.style)) { html in
      html.element("header") { html in
        html.element("h3") { html in
          html.element("a", .href(links.href(.metric(app: app, name: result.metric)))) { $0.write(Name(budget.title)) }
        }
        html.write(VerdictBadge(verdict))
      }
      html.write(BudgetFigure(result: result, isBrief: true))
      chart(&html)
    }
  }

  /// The page whose data the card links to. In a static export it is the page that holds the card, because files cannot
  /// be filtered by release.
  private var source: Page {
    links.style == .files ? links.origin : .metric(app: app, name: result.metric)
  }

  private func chart(_ html: inout HTMLWriter) {
    guard budget.trend.contains(where: { $0.estimate.value != nil }) else { return }
    let lines = self.lines
    let title = "\(ShortenedName.text(budget.title)) \(TimeStepWords(budget.trend).by)"
    html.element("figure") { html in
      html.write(
        TrendChart(
          title: title, lines: lines, unit: result.unit, direction: result.direction, target: result.target,
          warnTarget: result.warnTarget, frame: lines.count > 1 ? .namedCard : .card))
      html.write(
        TrendTable(
          caption: title, lines: lines, unit: result.unit, source: source, hasTable: source != links.origin,
          links: links))
    }
  }

  private var lines: [TrendChart.Line] {
    let own = TrendChart.Line(
      name: judgement.release.map { ShortenedName.text($0.release.version, limit: 6) }
        ?? ShortenedName.text(result.statistic ?? ""),
      style: "first", points: budget.trend)
    guard let previous = judgement.previous, budget.trendBefore.contains(where: { $0.estimate.value != nil }) else {
      return [own]
    }
    return [
      TrendChart.Line(
        name: ShortenedName.text(previous.release.version, limit: 6), style: "before", points: budget.trendBefore), own,
    ]
  }
}
