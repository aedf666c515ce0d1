import HTML
public import Health
import Telemetry
import Wording

/// An app's page: are we fine, what broke, and the numbers behind it.
public enum AppView {
  /// The page as UTF-8. `impact`: the groups of the newest release's crashes, if it had any.
  public static func render(
    _ page: AppStatus, impact: GroupImpact? = nil, _ context: PageContext
  ) -> [UInt8] {
    let report = page.report
    let layout = Layout(
      page: .app(report.app), title: PlainName.text(report.app), context: context,
      asOf: page.asOf, footer: "Payloads up to number \(Decimal.grouped(Int(report.digestedThrough))).")
    let vitals = VitalOrder.split(page.vitals)
    return layout.render { html in
      html.write(AppHeading(page: page, context: context))
      html.write(
        ShipOrHold(
          app: report.app, decisions: page.decisions, links: layout.links, isUnjudged: context.budgetError != nil))
      html.write(WhatBroke(app: report.app, breakages: page.breakages, links: layout.links))
      html.write(ImpactSection(app: report.app, impact: impact, links: layout.links))
      html.write(VitalCards(app: report.app, window: report.window, vitals: vitals.cards, links: layout.links))
      html.write(VitalTable(app: report.app, vitals: vitals.rest, links: layout.links))
      html.write(ReleaseVerdicts(app: report.app, results: page.releaseResults, links: layout.links))
      html.write(ReleaseTable(app: report.app, releases: report.releases, links: layout.links))
      html.write(BurnTable(burn: report.burn))
      html.element("div", .class("pair")) { html in
        html.write(SessionTable(sessions: report.sessions, users: report.users))
        html.write(ExitTable(exits: report.exits))
      }
      html.write(MetricTables(report: report, shown: Set(page.vitals.map(\.result.metric)), links: layout.links))
    }
  }
}
