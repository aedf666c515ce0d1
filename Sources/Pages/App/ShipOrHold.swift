import HTML
import Health
import Telemetry
import Wording

/// Whether the newest releases may go on to more people.
struct ShipOrHold: Markup {
  var app: String
  var decisions: [ReleaseDecision]
  var links: Links
  /// Nothing is judged: the budget file has an error.
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
      html.element("p", .class("meta")) { html in ways(title, decision.previous, &html) }
    }
  }

  private func ways(_ title: String, _ previous: String?, _ html: inout HTMLWriter) {
    html.element("a", .href(links.href(.release(app: app, name: title))), text: "What changed")
    guard let previous, links.style == .served else { return }
    html.text(" · ")
    html.element("a", .href(links.href(.compare(app: app, base: previous, head: title)))) { html in
      html.text("against ")
      html.write(Name(previous))
    }
  }
}
