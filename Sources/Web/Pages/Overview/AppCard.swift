import Analysis
import Core
import Storage

/// The card of one app on the first page.
struct AppCard: Markup {
  var app: AppSummary
  var links: Links

  func write(to html: inout HTMLWriter) {
    let judgement = app.status?.judgement
    html.element("article", .class("card", judgement?.advice.style ?? "none")) { html in
      html.element("header") { html in
        html.element("h2") { html in
          html.element("a", .href(links.href(.app(app.id)))) { $0.write(AppName(app: app.id, links: links)) }
        }
        badge(judgement, &html)
      }
      if let judgement, let status = app.status {
        if app.budgetError == nil { html.element("p", text: judgement.reason) }
        if let note = status.environmentNote {
          html.element("p", .class("meta")) { $0.element("bdi", text: note) }
        }
        crashFree(judgement, &html)
        facts(judgement, &html)
      } else {
        html.element("p", .class("meta"), text: "Nothing was received yet.")
      }
      if let banner = Banner.stale(app.status?.staleDays) { html.write(banner) }
      if app.budgetError != nil {
        html.element("p", .class("meta"), text: "The budget file has an error, which the app’s page names.")
      }
    }
  }

  private func badge(_ judgement: Judgement?, _ html: inout HTMLWriter) {
    if app.budgetError != nil {
      html.element("span", .class("badge", "warning")) { html in
        html.element("span", Attribute("aria-hidden", literal: "true"), text: Optional(Verdict.warning).symbol)
        html.text(" Not judged")
      }
    } else if let judgement {
      html.write(AdviceBadge(judgement))
    } else {
      html.write(VerdictBadge(nil))
    }
  }

  private func crashFree(_ judgement: Judgement, _ html: inout HTMLWriter) {
    guard let budget = judgement.crashFree, budget.result.value != nil else {
      return html.element("p", .class("meta"), text: "No sessions: what share of them is crash-free is not known.")
    }
    html.element("p", .class("label")) { html in
      html.text("Crash-free sessions")
      if let release = judgement.release {
        html.text(" of ")
        html.write(Name(release.release.title))
      }
    }
    html.element("div", .class("glance")) { html in
      html.write(ValueFigure(result: budget.result))
      if budget.trend.contains(where: { $0.estimate.value != nil }) {
        html.write(
          Sparkline(
            title: "Crash-free sessions \(StepWords(budget.trend).by)", points: budget.trend, unit: .ratio,
            direction: .higher, before: budget.trendBefore))
      }
    }
    html.element("p", .class("meta")) { html in
      if budget.result.low != nil || budget.result.high != nil {
        html.interval(budget.result.estimate, .ratio)
        html.text(" · ")
      }
      html.text(EventNoun.count(budget.result.n, of: "sessions.crash_free"))
      guard let before = budget.before?.value, let previous = judgement.previous else { return }
      html.text(" · \(Quantity.share(before)) in ")
      html.write(Name(previous.release.title))
    }
  }

  private func facts(_ judgement: Judgement, _ html: inout HTMLWriter) {
    html.element("dl", .class("facts")) { html in
      if let release = judgement.release {
        html.element("div") { html in
          html.element("dt", text: "In use")
          html.element("dd") { html in
            html.text("\(Quantity.share(release.adoption)) of the last day, first seen \(release.firstSeen.iso)")
            html.write(ShareBar(release.adoption))
          }
        }
      }
      html.element("div") { html in
        html.element("dt", text: "Budgets")
        html.element("dd") { $0.write(VerdictCounts(counts: judgement.counts)) }
      }
      html.element("div") { html in
        html.element("dt", text: "Days")
        html.element("dd", text: judgement.window.text)
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
