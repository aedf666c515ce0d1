import HTML
import Health
import Wording

/// A budget's number, large, with its interval and n.
struct BudgetFigure: Markup {
  var result: BudgetResult

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("figure")) { html in
      html.number(
        result.value, result.unit,
        isAtLeast: result.isAtLeast)
      if let statistic = result.statistic { html.element("small", text: " " + PlainName.text(statistic)) }
    }
    html.element("p", .class("meta")) { html in
      if result.low != nil || result.high != nil {
        html.element("span", .title(bounds), text: Quantity.interval(result.low, result.high, result.unit))
        html.text(" · ")
      }
      html.text(Noun.count(result.n, of: result.metric))
    }
  }

  private var bounds: String {
    let what = "One-sided \(Quantity.share(result.confidence)) bounds"
    switch result.basis {
    case .clusters: return "\(what) on an effective sample: events of one device are alike"
    case .events: return "\(what) on single events: fewer than ten devices are known"
    }
  }
}
