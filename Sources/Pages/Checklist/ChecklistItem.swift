import HTML
import Health
import Telemetry

/// One topic: what the data says, then what to try.
struct ChecklistItem: Markup {
  var item: ReleaseChecklist.Item
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section", .class("card", item.verdict.style)) { html in
      html.element("header") { html in
        html.element("h2", text: item.topic.title)
        if let verdict = item.verdict {
          html.write(VerdictBadge(verdict))
        } else {
          html.element("span", .class("badge", "none"), text: "Yours to try")
        }
      }
      if !item.results.isEmpty { html.element("ul", .class("plain")) { results(&$0) } }
      html.element("ul", .class("boxes")) { html in
        for (place, text) in item.topic.boxes.enumerated() {
          let id = "\(item.topic.rawValue)-\(place)"
          html.element("li") { html in
            html.leaf("input", Attribute("type", literal: "checkbox"), Attribute("id", id))
            html.element("label", Attribute("for", id), text: text)
          }
        }
      }
      if let guide = item.topic.guide.flatMap(GuideLibrary.guide) {
        html.element("p", .class("meta")) { html in
          html.element("a", .href(links.href(.guide(guide.family)))) { $0.text("Guide: \(guide.title)") }
        }
      }
    }
  }

  private func results(_ html: inout HTMLWriter) {
    for result in item.results {
      let verdict = Optional(result.verdict)
      html.element("li") { html in
        html.element("span", .class("tone", verdict.style)) { html in
          html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
        }
        html.text(" ")
        if let app = links.origin.app {
          html.element("a", .href(links.href(.metric(app: app, name: result.metric)))) { html in
            html.write(Name(Catalogue.metric(named: result.metric)?.title ?? result.metric))
          }
        }
        html.text(" ")
        html.number(result.value, result.unit, isAtLeast: result.isAtLeast)
        html.text(", \(verdict.word.lowercased()) (")
        html.element("code") { $0.write(Name(result.budget)) }
        html.text(")")
      }
    }
  }
}
