import HTML
public import Health
import Storage
import Telemetry
import Wording

/// One release: may it go on, what changed, who uses it, and its vitals.
public enum ReleaseView {
  /// The page as UTF-8. `impact`: the groups of its crashes, if it had any.
  public static func render(
    _ release: ReleaseModel, impact: GroupImpact? = nil, _ context: PageContext
  ) -> [UInt8] {
    let page = Page.release(app: release.app, name: release.name)
    let layout = Layout(
      page: page, title: "Release \(PlainName.text(release.name)) · \(PlainName.text(release.app))", context: context,
      asOf: release.asOf,
      footer: "Payloads up to number \(Decimal.grouped(Int(release.digestedThrough))).")
    return layout.render { html in
      html.element("h1") { html in
        html.text("Release ")
        html.write(Name(release.name))
      }
      html.element("p", .class("summary")) { html in
        html.write(AdviceBadge(release.decision))
        html.text(
          " " + (context.budgetError == nil ? release.decision.reason : ReleaseDecision.unjudgedByError))
      }
      if let note = release.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(
        FilterBar(page: page, window: release.window, slice: Slice(environment: release.environment), context: context))
      html.write(WhatChanged(release: release, links: layout.links))
      html.write(ImpactSection(app: release.app, impact: impact, links: layout.links))
      html.write(AdoptionSection(release: release, links: layout.links))
      let vitals = VitalOrder.split(release.vitals)
      let own = links(to: release, layout.links)
      html.write(VitalCards(app: release.app, window: release.window, vitals: vitals.cards, links: own))
      html.write(VitalTable(app: release.app, vitals: vitals.rest, links: own))
      html.write(ReleaseTable(app: release.app, heading: "Builds", releases: release.builds, links: layout.links))
    }
  }

  /// The way to the same numbers: a metric of this release over its life.
  private static func links(to release: ReleaseModel, _ links: Links) -> Links {
    var own = links
    own.filter.environment = release.environment
    own.filter.release = release.name
    own.filter.from = release.window.from
    own.filter.to = release.window.to
    return own
  }
}
