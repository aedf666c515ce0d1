import HTML
import Health
import Storage
import Telemetry
import Wording

/// A budget that is broken or warns: its number, since when, in which releases, on which devices, and what to do.
struct BreakageCard: Markup {
  var app: String
  var breakage: Breakage
  var links: Links

  private var result: BudgetResult { breakage.result }

  func write(to html: inout HTMLWriter) {
    html.element("article", .class("card", Optional(result.verdict).style)) { html in
      html.element("header") { html in
        html.element("h3") { html in
          html.element("a", .href(links.href(.metric(app: app, name: result.metric)))) {
            $0.write(Name(breakage.title))
          }
        }
        html.write(VerdictBadge(result.verdict))
      }
      html.element("p", .class("reading")) { html in
        html.element("strong") { $0.number(result.estimate, result.unit) }
        if result.low != nil || result.high != nil {
          html.text(" ")
          html.interval(result.estimate, result.unit)
        }
        html.text(" against ")
        html.write(Name(BudgetWords.limit(result.budget)))
      }
      html.element("dl", .class("facts")) { facts(&$0) }
      html.write(
        AdviceCard(
          advice: breakage.advice, guide: breakage.guide, links: links,
          firstLook: FirstLook(metric: result.metric, app: app, release: breakage.releases.first, links: links)))
    }
  }

  private func facts(_ html: inout HTMLWriter) {
    fact("Since", &html) { html in html.text(breakage.since?.iso ?? "before these days, or on and off") }
    fact("Release", &html) { html in
      if breakage.releases.isEmpty { return html.text("all of them together") }
      for (index, release) in breakage.releases.enumerated() {
        if index > 0 { html.text(", ") }
        html.element("a", .href(links.href(.release(app: app, name: release)))) { $0.write(Name(release)) }
      }
    }
    guard !breakage.classes.isEmpty else { return }
    fact("Devices", &html) { devices(&$0) }
  }

  private func fact(_ name: String, _ html: inout HTMLWriter, _ content: (inout HTMLWriter) -> Void) {
    html.element("div") { html in
      html.element("dt", text: name)
      html.element("dd", content: content)
    }
  }

  /// The number of device classes that are not shown, and how many of them exceed the budget, too.
  private var moreDevices: String? {
    let rest = breakage.classes.dropFirst(Self.shownClasses)
    guard !rest.isEmpty else { return nil }
    let bad = rest.count { $0.result.verdict == result.verdict }
    let word = Optional(result.verdict).word.lowercased()
    return bad == 0 ? "and \(rest.count) more" : "and \(rest.count) more, \(bad) of them \(word)"
  }

  private static let shownClasses = 3

  /// Writes the worst device classes with their numbers.
  private func devices(_ html: inout HTMLWriter) {
    html.element("ul", .class("plain")) { html in
      for part in breakage.classes.prefix(Self.shownClasses) {
        let verdict = Optional(part.result.verdict)
        html.element("li") { html in
          html.element("span", .class("tone", verdict.style)) { html in
            html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
          }
          html.text(" ")
          html.write(Name(part.key))
          html.text(" ")
          html.number(part.result.estimate, part.result.unit)
          html.text(", \(verdict.word.lowercased())")
        }
      }
      if let more = moreDevices {
        html.element("li") { $0.element("a", .href(links.href(.budgets(app: app))), text: more) }
      }
    }
  }
}

/// The section that lists everything broken or in warning: since when, in which releases, on which devices, and what to
/// check first.
struct WhatBroke: Markup {
  var app: String
  var breakages: [Breakage]
  var links: Links

  /// The most breakages shown, so that the worst ones stay visible.
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
