import HTML
import Health
import Telemetry
import Wording

/// Everything that is broken or warns: since when, in which releases, on which devices, and what to open first.
struct WhatBroke: Markup {
  var app: String
  var breakages: [Breakage]
  var links: Links

  /// More would hide the worst.
  private static let shown = 8

  func write(to html: inout HTMLWriter) {
    guard !breakages.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "What broke")
      html.element("div", .class("cards", "broad")) { html in
        for breakage in breakages.prefix(Self.shown) {
          html.write(BreakageCard(app: app, breakage: breakage, links: links))
        }
      }
      if breakages.count > Self.shown {
        html.element("p") { html in
          html.element(
            "a", .href(links.href(.budgets(app: app))), text: "\(breakages.count - Self.shown) more among all budgets")
        }
      }
    }
  }
}
