import Analysis
import Core
import Storage

/// The advice on a release as a word with a symbol.
struct AdviceBadge: Markup {
  var judgement: Judgement

  init(_ judgement: Judgement) { self.judgement = judgement }

  func write(to html: inout HTMLWriter) {
    html.element("span", .class("badge", judgement.advice.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: judgement.advice.symbol)
      html.text(" " + judgement.word)
    }
  }
}

extension Judgement {
  /// The advice in a word. A whole app, and a release that was replaced, is not shipped again.
  var word: String {
    guard advice == .ship || advice == .hold else { return advice.word }
    guard let release, release.stage != .replaced else { return Optional(verdict).word }
    return advice.word
  }

  /// The reason for the advice, in one sentence.
  var reason: String {
    let titles = Summary.unique(
      broken.filter { $0.result.verdict == verdict }.map { PlainName.text($0.title) })
    let names = Summary.list(Summary.shortened(titles, most: 6))
    switch advice {
    case .hold: return "\(names) \(titles.count == 1 ? "is" : "are") broken."
    case .watch:
      return "Nothing is broken; \(EventNoun.withinSentence(names)) \(titles.count == 1 ? "warns" : "warn")."
    case .ship:
      let within = counts[.within, default: 0]
      if within == budgets.count {
        if within == 1 { return "The one budget is met." }
        return "\(within == 2 ? "Both" : "All \(Summary.number(within))") budgets are met."
      }
      return "\(Summary.capitalized(Summary.number(within))) of \(Summary.number(budgets.count)) budgets are met "
        + "and none is broken."
    case .wait: return waitReason
    }
  }

  private var waitReason: String {
    if slice.environment == "simulated" { return "Payloads that Xcode simulated are shown, and not judged." }
    guard budgets.isEmpty else { return "Nothing is broken, but most budgets lack the data to tell." }
    guard let release else { return "No budget has data in these days." }
    if release.sessions == 0, release.payloads == 0 {
      return "Nothing but crashes, hangs and the like was received of it: no sessions and no payloads to judge it by."
    }
    return (release.adoption ?? 0) < Self.leastAdoption
      ? "Too few people have it to judge." : "No budget has data of it."
  }
}

extension Judgement.Advice {
  var word: String {
    switch self {
    case .hold: "Hold"
    case .watch: "Watch"
    case .ship: "Ship"
    case .wait: "Wait for data"
    }
  }

  var symbol: String { verdict.symbol }
  /// The CSS class that gives the colour.
  var style: StaticString { verdict.style }

  private var verdict: Verdict? {
    switch self {
    case .hold: .broken
    case .watch: .warning
    case .ship: .within
    case .wait: .notEnoughData
    }
  }
}
