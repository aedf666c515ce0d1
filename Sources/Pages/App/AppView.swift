import HTML
public import Health
import Telemetry
import Wording

/// The page of one app: the overall verdict, what is broken, and the numbers.
public enum AppView {
  /// The page as UTF-8. `impact`: the groups of the newest release's crashes, if it had any.
  public static func render(
    _ page: AppStatus, impact: GroupImpact? = nil, _ context: PageContext
  ) -> [UInt8] {
    let report = page.report
    let layout = Layout(
      page: .app(report.app), title: context.name(of: report.app), context: context,
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

/// The top of an app's page: its name, the verdict in one sentence, and the filters.
struct AppHeading: Markup {
  var page: AppStatus
  var context: PageContext

  func write(to html: inout HTMLWriter) {
    let report = page.report
    let links = Links(context, from: .app(report.app))
    html.element("h1") { $0.write(AppName(app: report.app, links: links, showsIdentifier: true)) }
    html.element("p", .class("summary")) { html in
      let verdicts = page.vitals.map(\.result.verdict) + page.releaseResults.map(\.verdict)
      let worst = verdicts.map(Optional.some).min { $0.severity < $1.severity } ?? nil
      html.element("span", .class("tone", worst.style), Attribute("aria-hidden", literal: "true"), text: worst.symbol)
      html.literal(" ")
      answer(&html)
    }
    if let note = report.environmentNote { html.write(Banner(text: note, isWarning: true)) }
    if let banner = Banner.stale(report.staleDays) { html.write(banner) }
    html.write(
      FilterBar(page: .app(report.app), window: report.window, slice: report.slice, context: context))
  }

  /// Writes the verdict. A release that breaks a budget comes before an app that does not.
  private func answer(_ html: inout HTMLWriter) {
    guard context.budgetError == nil else { return html.text("Nothing is judged: the budget file has an error.") }
    let releases = Summary.releases(page.releaseResults)
    let isCalm = !page.vitals.contains { $0.result.verdict == .broken }
    if !isCalm { html.text(Summary.sentence(page.vitals)) }
    for (index, part) in releases.enumerated() {
      if index > 0 || !isCalm { html.literal(" ") }
      html.write(Name(part.release))
      html.text(" " + part.clause)
    }
    guard isCalm else { return }
    if !releases.isEmpty { html.text(" For all releases together: ") }
    html.text(page.vitals.isEmpty ? nothing : Summary.sentence(page.vitals))
  }

  /// Why there is no verdict on the app as a whole.
  private var nothing: String {
    let isEmpty = page.report.sessions.total == 0 && page.report.metrics.isEmpty && page.report.releases.isEmpty
    return isEmpty ? "Nothing was received of these days." : "No budget has data in these days."
  }
}
