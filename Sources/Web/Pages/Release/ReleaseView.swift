import Analysis
import Core
import Storage

/// The page of one release: rollout advice, changes, adoption and budgets.
enum ReleaseView {
  /// The page as UTF-8. `impact`: the groups behind its crashes; nil if it had no crashes.
  static func render(
    _ release: ReleaseModel, impact: TopCrashGroups? = nil, _ context: PageContext
  ) -> [UInt8] {
    let page = Page.release(app: release.app, name: release.name)
    let layout = Layout(
      page: page, title: "Release \(ShortenedName.text(release.name)) · \(ShortenedName.text(release.app))",
      context: context,
      asOf: release.asOf,
      footer: "Based on all payloads up to no. \(Decimal.grouped(Int(release.digestedThrough))).")
    return layout.render { html in
      html.element("h1") { html in
        html.text("Release ")
        html.write(Name(release.name))
      }
      html.element("p", .class("summary")) { html in
        html.write(AdviceBadge(release.judgement))
        html.text(
          " " + (context.budgetError == nil ? release.judgement.reason : "Not judged: the budget file has an error."))
      }
      rollout(of: release, layout.links, &html)
      if let note = release.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(
        FilterBar(page: page, window: release.window, slice: Slice(environment: release.environment), context: context))
      let table = JudgedBudgetTable(
        app: release.app, judgement: release.judgement, links: links(to: release, layout.links))
      html.write(table.broken(release.judgement.broken))
      html.write(WhatChanged(release: release, links: layout.links))
      html.write(CrashImpactSection(app: release.app, impact: impact, links: layout.links))
      html.write(AttributeValuesSection(release: release, links: layout.links))
      html.write(AdoptionSection(release: release, links: layout.links))
      let rest = JudgedBudgetOrder.split(release.judgement.budgets)
      html.write(
        VitalCards(app: release.app, judgement: release.judgement, budgets: rest.cards, links: table.links))
      html.write(table.others(rest.others))
      html.write(ReleaseTable(app: release.app, heading: "Builds", releases: release.builds, links: layout.links))
    }
  }

  /// Writes a link to the judgement on the rollout, which needs a previous release.
  private static func rollout(of release: ReleaseModel, _ links: Links, _ html: inout HTMLWriter) {
    guard release.previous != nil else { return }
    html.element("p") { html in
      html.element("a", .href(links.href(.rollout(app: release.app, release: release.name))), text: "Rollout")
      html.text(": whether it may continue, and the evidence by day")
    }
  }

  /// Links to metrics filtered to this release and its lifetime.
  private static func links(to release: ReleaseModel, _ links: Links) -> Links {
    var own = links
    own.filter.environment = release.environment
    own.filter.release = release.name
    own.filter.from = release.window.from
    own.filter.to = release.window.to
    return own
  }
}

/// The section with changes since the previous release.
struct WhatChanged: Markup {
  var release: ReleaseModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2") { html in
        html.text("What changed")
        guard let previous = release.previous else { return }
        html.text(" since ")
        html.write(Name(previous))
      }
      if let note = release.comparisonNote {
        html.element("p") { $0.element("bdi", text: SentenceWords.capitalized(note)) }
      }
      guard let comparison = release.comparison else { return }
      html.element("p") { $0.text(ComparisonSummary.sentence(comparison)) }
      html.write(ComparisonTable(comparison: comparison, links: links))
      html.write(CausesSection(comparison, heading: nil, links: links))
      guard links.style == .served, let previous = release.previous else { return }
      html.element("p") { html in
        html.element(
          "a", .href(links.href(.compare(app: release.app, base: previous, head: release.name))),
          text: "Full comparison and method")
      }
    }
  }

}

/// The section with the adoption of the release.
struct AdoptionSection: Markup {
  var release: ReleaseModel
  var links: Links

  private var own: ReleaseReport? { release.judgement.release }

  private var isUsed: Bool {
    guard let own else { return false }
    return own.sessions > 0 || own.payloads > 0 || (own.adoption ?? 0) > 0
  }

  private var counts: String {
    let (sessions, payloads) = (own?.sessions ?? 0, own?.payloads ?? 0)
    return EventNoun.count(sessions, of: "sessions.crash_free")
      + " and \(Decimal.grouped(payloads)) MetricKit \(payloads == 1 ? "payload" : "payloads")"
  }

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Adoption")
      guard isUsed else {
        return html.element("p", text: "No sessions or payloads received since \(release.window.from.iso).")
      }
      html.element("p") { html in
        html.number(own?.adoption, .ratio)
        html.text(" adoption; \(counts) since \(release.window.from.iso).")
      }
      html.write(
        TrendFigure(
          title: "Adoption of \(ShortenedName.text(release.name)) \(TimeStepWords(release.adoption).by)",
          lines: [TrendChart.Line(name: "", style: "first", points: release.adoption)], unit: .ratio,
          direction: .lower, source: links.origin, links: links))
    }
  }
}
