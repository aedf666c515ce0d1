import Analysis
import Core

/// The state of the setup: waiting for payloads, or received with a summary.
struct SetupState: Markup {
  var setup: SetupModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    if setup.hasReceived { received(&html) } else { waiting(&html) }
  }

  private func waiting(_ html: inout HTMLWriter) {
    html.element(
      "div", .class("card", "unsure"), Attribute("role", literal: "status"), Attribute("data-again", literal: "2")
    ) { html in
      html.element("h2", text: "Waiting for your first payload")
      html.element(
        "p",
        text: setup.rejected.isEmpty
          ? "Nothing came yet." : "Something came, and nothing of it could be used.")
      if links.style == .served {
        // Only browsers that run the page's script show this text.
        html.element("p", .class("meta", "scripted"), text: "This page looks again every few seconds.")
      }
      if !setup.rejected.isEmpty { rejected(&html) }
      if links.style == .served {
        html.element("p") { html in
          html.element("a", .href(links.href(links.origin)), text: "Look again")
        }
      }
    }
  }

  private func rejected(_ html: inout HTMLWriter) {
    html.element("ul", .class("plain")) { html in
      for count in setup.rejected.prefix(5) {
        html.element("li") { html in
          html.text("\(Decimal.grouped(count.count)) × ")
          html.write(Name(count.reason))
          if !count.lastDetail.isEmpty {
            html.text(": ")
            html.write(Name(count.lastDetail))
          }
        }
      }
    }
  }

  private func received(_ html: inout HTMLWriter) {
    html.element("div", .class("card", "within"), Attribute("role", literal: "status")) { html in
      html.element("h2", text: "Received")
      html.element("p") { html in
        html.text(
          setup.accepted == 1
            ? "One payload or message in the last 28 days"
            : "\(Decimal.grouped(setup.accepted)) payloads and messages in the last 28 days")
        if let last = setup.lastReceived {
          html.text(", the last at ")
          html.write(DateTime(last))
        }
        html.text(". What was understood:")
      }
      html.element("dl", .class("facts")) { facts(&$0) }
      html.element("p") { html in
        html.element("a", .href(links.href(.app(setup.app))), text: "See the vitals")
        html.text(" · ")
        html.element("a", .href(links.href(.dataQuality(app: setup.app))), text: "What was turned away")
      }
    }
  }

  private func facts(_ html: inout HTMLWriter) {
    let sources = setup.sources.map { "\($0.reason) (\(Decimal.grouped($0.count)))" }
    for (name, values) in [
      ("Sources", sources), ("Metrics", setup.metrics), ("Releases", setup.releases),
      ("Environments", setup.environments),
    ] {
      html.element("div") { html in
        html.element("dt", text: name)
        html.element("dd") { list(values, &$0) }
      }
    }
  }

  /// Writes the first twelve values, and how many more there are.
  private func list(_ values: [String], _ html: inout HTMLWriter) {
    guard !values.isEmpty else { return html.text("none in these days") }
    for (index, value) in values.prefix(12).enumerated() {
      if index > 0 { html.text(", ") }
      html.write(Name(value))
    }
    if values.count > 12 { html.text(" and \(Decimal.grouped(values.count - 12)) more") }
  }
}
