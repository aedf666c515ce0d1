import Analysis
import Core
import Storage

/// The page of one app: rollout advice, broken budgets, top crashes and vitals.
enum AppView {
  /// The page as UTF-8. `crashes`: the largest crash groups of the judged release or app; nil for none. `rollout`: the
  /// judgement on a release that is being rolled out; `causes`: where the worst budget became worse.
  static func render(
    _ status: AppStatus, crashes: GroupList? = nil, rollout: RolloutReport? = nil, causes: CauseList? = nil,
    _ context: PageContext
  ) -> [UInt8] {
    let judgement = status.judgement
    let layout = Layout(
      page: .app(status.app), title: context.name(of: status.app), context: context, asOf: status.asOf)
    let rest = JudgedBudgetOrder.split(judgement.budgets)
    let table = JudgedBudgetTable(app: status.app, judgement: judgement, links: layout.links(of: judgement))
    return layout.render { html in
      html.write(
        AppHeading(
          status: status, crashes: crashes, rollout: rollout, causes: causes, context: context, links: layout.links))
      html.write(table.broken(judgement.broken))
      html.write(CrashTable(app: status.app, list: crashes, links: layout.links(of: judgement)))
      html.write(VitalCards(app: status.app, judgement: judgement, budgets: rest.cards, links: table.links))
      html.write(table.others(rest.others))
      html.write(ReleaseTable(app: status.app, releases: status.releases, links: layout.links))
      html.element("p", .class("meta")) { html in
        html.element("a", .href(layout.links.href(.metrics(app: status.app))), text: "All metrics")
        html.text(" · ")
        html.element("a", .href(layout.links.href(.budgets(app: status.app))), text: "All budgets and the error budget")
      }
    }
  }
}

/// The top of an app's page: its name, the filters and the rollout advice.
struct AppHeading: Markup {
  var status: AppStatus
  var crashes: GroupList?
  var rollout: RolloutReport?
  var causes: CauseList?
  var context: PageContext
  var links: Links

  private var judgement: Judgement { status.judgement }

  func write(to html: inout HTMLWriter) {
    html.element("h1") { $0.write(AppName(app: status.app, links: links, showsIdentifier: true)) }
    html.write(
      FilterBar(
        page: .app(status.app), window: judgement.window, slice: judgement.slice, context: context,
        isWholeApp: judgement.release == nil))
    if let note = status.environmentNote { html.write(Banner(text: note, isWarning: true)) }
    if let banner = Banner.stale(status.staleDays) { html.write(banner) }
    html.element("section", .class("rollout", judgement.advice.style)) { html in
      html.element("h2") { html in
        html.write(AdviceBadge(judgement))
        html.text(" ")
        subject(&html)
      }
      html.element(
        "p", .class("summary"),
        text: context.budgetError == nil ? judgement.reason : "Not judged: the budget file has an error.")
      if let causes, context.budgetError == nil, !causes.causes.isEmpty {
        html.element("p") { html in
          html.write(Name(Catalogue.metric(named: causes.metric)?.title ?? causes.metric))
          html.text(" became worse than in the rest of the use on ")
          html.write(CauseLink(cause: causes.causes[0], list: causes, app: status.app, links: links))
          html.text(".")
        }
      }
      if let rollout { html.write(RolloutNotice(report: rollout, links: links)) }
      html.element("dl") { html in
        if let release = judgement.release { use(of: release, &html) }
        if let crashes, let worst = crashes.groups.first { topCrash(worst, crashes, &html) }
        for release in judgement.waiting.prefix(2) { waiting(release, &html) }
      }
    }
  }

  private func subject(_ html: inout HTMLWriter) {
    guard let release = judgement.release?.release else { return html.text("All releases together") }
    html.element("a", .href(links.href(.release(app: status.app, name: release.title)))) {
      $0.write(Name(release.title))
    }
  }

  private func use(of release: ReleaseReport, _ html: inout HTMLWriter) {
    html.element("dt", text: "In use")
    html.element("dd") { html in
      if release.adoption != nil {
        html.number(release.adoption, .ratio)
        html.text(" adoption, first seen \(release.firstSeen.iso)")
      } else {
        html.text("not in use on the last day, first seen \(release.firstSeen.iso)")
      }
      guard let previous = judgement.previous else { return }
      html.text("; previous release ")
      html.element("a", .href(links.href(.release(app: status.app, name: previous.release.title)))) {
        $0.write(Name(previous.release.title))
      }
      guard links.style == .served else { return }
      html.text(" (")
      let page = Page.compare(app: status.app, base: previous.release.title, head: release.release.title)
      html.element("a", .href(links.href(page)), text: "compare")
      html.text(")")
    }
  }

  private func topCrash(_ group: GroupSummary, _ list: GroupList, _ html: inout HTMLWriter) {
    html.element("dt", text: "Top crash")
    html.element("dd") { html in
      html.element("a", .href(links.href(.group(app: status.app, id: group.id)))) { $0.write(Name(group.title)) }
      html.text(" ")
      html.write(GroupBadge(status: group.status, isNew: CrashTable.isNew(group, list)))
      html.text(" ")
      html.number(group.share.estimate, .ratio)
      html.text(group.shareBasis == .sessions ? " of sessions" : " of crash reports")
    }
  }

  private func waiting(_ release: ReleaseReport, _ html: inout HTMLWriter) {
    html.element("dt", text: "Newer")
    html.element("dd") { html in
      html.element("a", .href(links.href(.release(app: status.app, name: release.release.title)))) {
        $0.write(Name(release.release.title))
      }
      html.text(release.adoption.map { ", \(Quantity.share($0)) adoption" } ?? ", not in use yet")
      html.text(
        (release.adoption ?? 0) < Judgement.leastAdoption
          ? ": judged once it has \(Quantity.limit(Judgement.leastAdoption, .ratio)) adoption"
          : ": judged after it has been in use for a day")
    }
  }
}

extension Layout {
  /// Links that keep the judged release, so that the linked pages show the same numbers.
  func links(of judgement: Judgement) -> Links {
    var links = links
    if let release = judgement.release { links.filter.release = release.release.title }
    return links
  }
}
