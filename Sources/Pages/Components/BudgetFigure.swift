import HTML
import Health
import Wording

extension BudgetResult {
  /// What a bad verdict on few devices has to say for itself; nil where there is no need.
  var caution: String? {
    guard basis == .events, verdict == .broken || verdict == .warning else { return nil }
    return
      "Read it with care: fewer than ten devices are known to stand behind it, and one of them may be all it shows."
  }
}

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
    if let caution = result.caution { html.element("p", .class("meta"), text: caution) }
  }

  private var bounds: String {
    let what = "One-sided \(Quantity.share(result.confidence)) bounds"
    switch result.basis {
    case .clusters: return "\(what) on an effective sample: events of one device are alike"
    case .events: return "\(what) on single events: fewer than ten devices are known"
    }
  }
}
