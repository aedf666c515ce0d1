import HTML
import Health
import Telemetry
import Wording

/// The section with the advice on rolling out the newest releases.
struct ShipOrHold: Markup {
  var app: String
  var decisions: [ReleaseDecision]
  var links: Links
  /// True if there are no verdicts because the budget file has an error.
  var isUnjudged = false

  func write(to html: inout HTMLWriter) {
    guard !decisions.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Ship or hold")
      html.element("div", .class("cards")) { html in
        for decision in decisions { card(decision, &html) }
      }
    }
  }

  private func card(_ decision: ReleaseDecision, _ html: inout HTMLWriter) {
    let title = decision.release.release.title
    html.element("article", .class("card", decision.advice.style)) { html in
      html.element("header") { html in
        html.element("h3") { html in
          html.element("a", .href(links.href(.release(app: app, name: title)))) { $0.write(Name(title)) }
        }
        html.write(AdviceBadge(decision))
      }
      html.element("p", text: isUnjudged ? ReleaseDecision.unjudgedByError : decision.reason)
      html.element("p", .class("meta")) { html in
        guard decision.release.adoption != nil else { return html.text("Since \(decision.release.firstSeen.iso)") }
        html.text("On ")
        html.number(decision.release.adoption, .ratio)
        html.text(" of the last day’s use, since \(decision.release.firstSeen.iso)")
        html.write(ShareBar(decision.release.adoption))
      }
      html.element("p", .class("meta")) { html in comparisonLinks(title, decision.previous, &html) }
    }
  }

  private func comparisonLinks(_ title: String, _ previous: String?, _ html: inout HTMLWriter) {
    html.element("a", .href(links.href(.release(app: app, name: title))), text: "What changed")
    guard let previous, links.style == .served else { return }
    html.text(" · ")
    html.element("a", .href(links.href(.compare(app: app, base: previous, head: title)))) { html in
      html.text("against ")
      html.write(Name(previous))
    }
  }
}

/// The advice on a release as a word with a symbol.
struct AdviceBadge: Markup {
  var decision: ReleaseDecision

  init(_ decision: ReleaseDecision) { self.decision = decision }

  func write(to html: inout HTMLWriter) {
    let advice = decision.advice
    html.element("span", .class("badge", advice.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: advice.symbol)
      html.text(" " + word)
    }
  }

  /// The word. A release that was replaced is not recommended for shipping again.
  private var word: String {
    decision.advice == .ship && decision.release.stage == .replaced ? "Healthy" : decision.advice.word
  }
}

extension ReleaseDecision {
  /// The reason for the advice, in one sentence.
  var reason: String {
    let bad = results.filter { $0.verdict == (advice == .hold ? .broken : .warning) }
    let titles = Summary.unique(bad.map { Catalogue.metric(named: $0.metric)?.title ?? PlainName.text($0.metric) })
    let within = results.count { $0.verdict == .within }
    switch advice {
    case .hold: return "\(Summary.list(Summary.shortened(titles))) \(titles.count == 1 ? "is" : "are") broken."
    case .watch:
      return "Nothing is broken; \(Summary.list(Summary.shortened(titles))) \(titles.count == 1 ? "warns" : "warn")."
    case .ship:
      return
        "\(Summary.capitalized(Summary.number(within))) of \(Summary.number(results.count)) budgets are met and none is broken."
    case .wait:
      return results.isEmpty ? unjudged : "Nothing is broken, but most budgets lack the data to tell."
    }
  }
}

extension ReleaseDecision {
  /// The reason if there are no verdicts because of the budget file.
  static let unjudgedByError = "Not judged: the budget file has an error."

  /// Why there is no verdict at all.
  private var unjudged: String {
    if release.sessions == 0, release.payloads == 0, release.adoption == nil {
      return "Nothing but crashes, hangs and the like was received of it: no sessions and no payloads to judge it by."
    }
    return (release.adoption ?? 0) < 0.05 ? "Too few people have it to judge." : "No budget has data of it."
  }
}

extension ReleaseDecision.Advice {
  /// The advice in words.
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
