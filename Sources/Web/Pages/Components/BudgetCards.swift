import Analysis
import Core
import Storage

/// A section with one card for each budget result.
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
  /// The slice of the page, which the card does not repeat.
  var slice = Slice()

  func write(to html: inout HTMLWriter) {
    let verdict = Optional(result.verdict)
    html.element("div", .class("card", verdict.style)) { html in
      html.write(VerdictBadge(verdict))
      html.write(BudgetFigure(result: result))
      html.write(BudgetLine(result: result, window: window, slice: slice))
    }
  }
}

/// A budget's value in large type, with its interval and n.
struct BudgetFigure: Markup {
  var result: BudgetResult
  /// Whether the bound that decided the verdict is left out.
  var isBrief = false

  func write(to html: inout HTMLWriter) {
    html.write(ValueFigure(result: result))
    html.element("p", .class("meta")) { html in
      if result.low != nil || result.high != nil {
        html.element("span", .title(bounds), text: Quantity.interval(result.estimate, result.unit))
        html.text(" · ")
      }
      if !isBrief, let bound = result.boundText { html.text("\(bound) · ") }
      html.text(EventNoun.count(result.n, of: result.metric))
    }
  }

  private var bounds: String {
    "Two-sided 95\u{A0}% interval from the effective sample size, because events of one device are correlated"
  }
}

/// A budget's value in large type. A share of so few events that it has no interval is written as a count instead: one
/// crash in three sessions is not 33.3 %.
struct ValueFigure: Markup {
  var result: BudgetResult

  private var isOfFew: Bool { result.unit == .ratio && result.low == nil && result.high == nil }

  func write(to html: inout HTMLWriter) {
    guard let value = result.value, isOfFew else {
      return html.element("p", .class("figure")) { html in
        html.number(result.estimate, result.unit)
        if let statistic = result.statistic { html.element("small", text: " " + ShortenedName.text(statistic)) }
      }
    }
    let met = Int(min((value * Double(result.n)).rounded(), 9e15))
    html.element("p", .class("few"), text: "\(Decimal.grouped(met)) of \(EventNoun.count(result.n, of: result.metric))")
  }
}

/// The budget's limit and scope, and the reason if it cannot be judged.
struct BudgetLine: Markup {
  var result: BudgetResult
  /// The window of the page; a budget with another window shows its own.
  var window: Window
  var slice = Slice()
  /// Whether the cards name their metric; false below a heading that names it.
  var namesMetric = true

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("budget")) { html in
      html.text("Budget: ")
      html.write(
        Name(result.withGoal(namesMetric ? BudgetWords.line(result.budget) : BudgetWords.limit(result.budget))))
      if let scope = result.scope(beside: slice) {
        html.text(" for ")
        html.write(Name(scope))
      }
      if result.window != window {
        html.text(" \(result.window.text)")
      }
    }
    if let explanation = result.explanation {
      html.element("p", .class("why")) { html in
        html.text(explanation)
        if result.requiresData, result.target != nil { html.text(" The budget requires data.") }
      }
    }
  }
}
