import Analysis
import Core

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
      (count(nil), "that sent nothing yet"),
    ].filter { $0.0 > 0 }
    if parts.count == 1, count(.within) == apps.count {
      return apps.count == 1
        ? "The one app is within budget."
        : "\(apps.count == 2 ? "Both" : "All \(Summary.number(apps.count))") apps are within budget."
    }
    let total = apps.count == 1 ? "One app" : "\(Summary.capitalized(Summary.number(apps.count))) apps"
    if apps.count == 1, let only = parts.first { return "One app, \(only.1)." }
    return "\(total): \(Summary.list(parts.map { "\(Summary.number($0.0)) \($0.1)" }))."
  }
}

/// The first page without any data: instructions to send the first payload.
struct FirstSteps: Markup {
  var serverURL: String

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("summary"), text: "No app yet. Two commands bring the first one here.")
    html.element("ol", .class("steps")) { html in
      html.element("li") { html in
        html.element("h2", text: "Add your app")
        html.element("p", text: "This prints its key.")
        html.element("pre") { $0.element("code", text: "plumb app add com.example.shop") }
      }
      html.element("li") { html in
        html.element("h2", text: "Send what a device measured")
        html.element(
          "p", text: "MetricKit payloads go here as they are. Xcode's “Simulate MetricKit Payloads” makes one.")
        html.element("pre") { $0.element("code", text: command) }
      }
      html.element("li") { html in
        html.element("h2", text: "Reload this page")
        html.element("p", text: "Your app stands here a few seconds later.")
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
