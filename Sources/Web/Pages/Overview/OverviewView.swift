import Analysis
import Core
import Storage

/// The first page of the site: all apps, the worst verdict first.
enum OverviewView {
  /// The page as UTF-8.
  static func render(_ overview: OverviewModel, _ context: PageContext) -> [UInt8] {
    let layout = Layout(
      page: .overview, title: "Apps", context: context, asOf: overview.asOf)
    let apps = overview.apps.enumerated().sorted {
      (severity($0.element), $0.offset) < (severity($1.element), $1.offset)
    }.map(\.element)
    return layout.render { html in
      html.element("h1", text: "Apps")
      if apps.isEmpty { return html.write(FirstSteps(serverURL: context.serverURL)) }
      html.element("p", .class("summary"), text: sentence(apps))
      html.element("ul", .class("slice")) { html in
        html.element("li") { $0.element("a", .href(layout.links.href(.alerts(app: nil))), text: "Alerts") }
        if layout.links.style == .served {
          html.element("li") { $0.element("a", .href(layout.links.href(Page(WallPage.self))), text: "Wall") }
        }
      }
      html.element("ul", .class("cards")) { html in
        for app in apps {
          html.element("li") { $0.write(AppCard(app: app, links: layout.links)) }
        }
      }
    }
  }

  /// The sort order: the worst verdict is 0. An error in the budget file counts like a warning.
  private static func severity(_ app: AppSummary) -> Int {
    app.budgetError == nil ? app.verdict.severity : Optional(Verdict.warning).severity
  }

  static func sentence(_ apps: [AppSummary]) -> String {
    let count = { (verdict: Verdict?) in apps.count { $0.budgetError == nil && $0.verdict == verdict } }
    let parts = [
      (count(.broken), "with a broken budget"), (count(.warning), "with a warning"),
      (apps.count { $0.budgetError != nil }, "with an error in the budget file"),
      (count(.notEnoughData), "without enough data"), (count(.within), "within budget"),
      (count(nil), "without data yet"),
    ].filter { $0.0 > 0 }
    if parts.count == 1, count(.within) == apps.count {
      return apps.count == 1
        ? "The only app is within budget."
        : "\(apps.count == 2 ? "Both" : "All \(SentenceWords.number(apps.count))") apps are within budget."
    }
    let total = apps.count == 1 ? "One app" : "\(SentenceWords.capitalized(SentenceWords.number(apps.count))) apps"
    if apps.count == 1, let only = parts.first { return "One app, \(only.1)." }
    return "\(total): \(SentenceWords.list(parts.map { "\(SentenceWords.number($0.0)) \($0.1)" }))."
  }
}

/// The first page without any data: instructions to send the first payload.
struct FirstSteps: Markup {
  var serverURL: String

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("summary"), text: "No apps yet. Two commands add the first one.")
    html.element("ol", .class("steps")) { html in
      html.element("li") { html in
        html.element("h2", text: "Add your app")
        html.element("p", text: "This prints its key.")
        html.element("pre") { $0.element("code", text: "plumb app add com.example.shop") }
      }
      html.element("li") { html in
        html.element("h2", text: "Send a payload")
        html.element(
          "p", text: "Send MetricKit payloads unchanged. Xcode's “Simulate MetricKit Payloads” creates one.")
        html.element("pre") { $0.element("code", text: command) }
      }
      html.element("li") { html in
        html.element("h2", text: "Reload this page")
        html.element("p", text: "Your app appears here after a few seconds.")
      }
    }
  }

  private var command: String {
    """
    curl -H "Authorization: Bearer $PLUMB_KEY" \\
         --data-binary @payload.json \\
         \(serverURL)/v1/payloads
    """
  }
}

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
        html.element("p", .class("meta"), text: "Nothing received yet.")
      }
      if let banner = Banner.stale(app.status?.staleDays) { html.write(banner) }
      if app.budgetError != nil {
        html.element("p", .class("meta"), text: "The budget file has an error. See the app’s page.")
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
      return html.element("p", .class("meta"), text: "No sessions, so the crash-free rate is unknown.")
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
            title: "Crash-free sessions \(TimeStepWords(budget.trend).by)", points: budget.trend, unit: .ratio,
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
            html.text("\(Quantity.share(release.adoption)) adoption, first seen \(release.firstSeen.iso)")
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
