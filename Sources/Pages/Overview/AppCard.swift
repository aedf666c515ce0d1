import HTML
import Health
import Storage
import Telemetry
import Wording

/// The card of one app on the first page.
struct AppCard: Markup {
  var app: AppSummary
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("article", .class("card", app.verdict.style)) { html in
      html.element("header") { html in
        html.element("h2") { html in
          html.element("a", .href(links.href(.app(app.id)))) { $0.write(AppName(app: app.id, links: links)) }
        }
        if app.budgetError == nil {
          html.write(VerdictBadge(app.verdict))
        } else {
          html.element("span", .class("badge", "warning")) { html in
            html.element("span", Attribute("aria-hidden", literal: "true"), text: Optional(Verdict.warning).symbol)
            html.text(" Not judged")
          }
        }
      }
      if app.verdict == nil {
        html.element("p", .class("meta"), text: "Nothing was received yet.")
      } else {
        if let note = app.environmentNote { html.element("p", .class("meta"), text: note) }
        if app.crashFree.estimate.value == nil {
          html.element("p", .class("meta"), text: "No sessions: what share of them is crash-free is not known.")
        } else {
          crashFree(&html)
        }
        facts(&html)
      }
      if let banner = Banner.stale(app.staleDays) { html.write(banner) }
      if app.budgetError != nil {
        html.element("p", .class("meta"), text: "The budget file has an error, which the app’s page names.")
      }
    }
  }

  private func crashFree(_ html: inout HTMLWriter) {
    let estimate = app.crashFree.estimate
    html.element("p", .class("label"), text: "Crash-free sessions")
    html.element("div", .class("glance")) { html in
      html.element("p", .class("figure")) { $0.number(estimate, .ratio) }
      if app.crashFreeTrend.contains(where: { $0.estimate.value != nil }) {
        html.write(
          Sparkline(
            title: "Crash-free sessions \(StepWords(app.crashFreeTrend).by)", points: app.crashFreeTrend,
            unit: .ratio, direction: .higher))
      }
    }
    html.element("p", .class("meta")) { html in
      html.interval(estimate, .ratio)
      html.text(" · \(EventNoun.count(app.crashFree.n, of: "sessions.crash_free"))")
    }
  }

  private func facts(_ html: inout HTMLWriter) {
    html.element("dl", .class("facts")) { html in
      if let release = app.mainRelease {
        html.element("div") { html in
          html.element("dt", text: "Main release")
          html.element("dd") { html in
            html.write(Name(release.release.title))
            html.text(" · \(Quantity.share(release.adoption))")
            html.write(ShareBar(release.adoption))
          }
        }
      }
      html.element("div") { html in
        html.element("dt", text: "Budgets")
        html.element("dd") { $0.write(VerdictCounts(counts: app.verdictCounts)) }
      }
      if let window = app.window {
        html.element("div") { html in
          html.element("dt", text: "Days")
          html.element("dd", text: "\(window.from.iso) to \(window.to.iso)")
        }
      }
    }
  }
}

/// The number of budgets with each verdict: `✕ 2 broken · ✓ 7 within budget`.
struct VerdictCounts: Markup {
  var counts: [Verdict: Int]

  func write(to html: inout HTMLWriter) {
    let present = Verdict.allCases.filter { counts[$0, default: 0] > 0 }.map(Optional.some)
      .sorted { $0.severity < $1.severity }
    guard !present.isEmpty else { return html.text("none") }
    html.element("ul", .class("counts")) { html in
      for verdict in present {
        html.element("li", .class("tone", verdict.style)) { html in
          html.element("span", Attribute("aria-hidden", literal: "true"), text: verdict.symbol)
          html.text(" \(verdict.flatMap { counts[$0] } ?? 0) \(verdict.word.lowercased())")
        }
      }
    }
  }
}
