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

/// The most important budgets, each as a card with a chart.
struct VitalCards: Markup {
  var app: String
  var judgement: Judgement
  var budgets: [JudgedBudget]
  /// Links that keep the release.
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !budgets.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Vitals")
      html.element("div", .class("cards")) { html in
        for budget in budgets { html.write(VitalCard(app: app, judgement: judgement, budget: budget, links: links)) }
      }
    }
  }
}

/// One budget: its verdict, its value with interval and n, and its trend beside that of the previous release.
struct VitalCard: Markup {
  var app: String
  var judgement: Judgement
  var budget: JudgedBudget
  var links: Links

  private var result: BudgetResult { budget.result }

  func write(to html: inout HTMLWriter) {
    let verdict = Optional(result.verdict)
    html.element("article", .class("card", verdict.style)) { html in
      html.element("header") { html in
        html.element("h3") { html in
          html.element("a", .href(links.href(.metric(app: app, name: result.metric)))) { $0.write(Name(budget.title)) }
        }
        html.write(VerdictBadge(verdict))
      }
      html.write(BudgetFigure(result: result, isBrief: true))
      chart(&html)
    }
  }

  /// The page whose data the card links to. In a static export it is the page that holds the card, because files cannot
  /// be filtered by release.
  private var source: Page {
    links.style == .files ? links.origin : .metric(app: app, name: result.metric)
  }

  private func chart(_ html: inout HTMLWriter) {
    guard budget.trend.contains(where: { $0.estimate.value != nil }) else { return }
    let lines = self.lines
    let title = "\(ShortenedName.text(budget.title)) \(TimeStepWords(budget.trend).by)"
    html.element("figure") { html in
      html.write(
        TrendChart(
          title: title, lines: lines, unit: result.unit, direction: result.direction, target: result.target,
          warnTarget: result.warnTarget, frame: lines.count > 1 ? .namedCard : .card))
      html.write(
        TrendTable(
          caption: title, lines: lines, unit: result.unit, source: source, hasTable: source != links.origin,
          links: links))
    }
  }

  private var lines: [TrendChart.Line] {
    let own = TrendChart.Line(
      name: judgement.release.map { ShortenedName.text($0.release.version, limit: 6) }
        ?? ShortenedName.text(result.statistic ?? ""),
      style: "first", points: budget.trend)
    guard let previous = judgement.previous, budget.trendBefore.contains(where: { $0.estimate.value != nil }) else {
      return [own]
    }
    return [
      TrendChart.Line(
        name: ShortenedName.text(previous.release.version, limit: 6), style: "before", points: budget.trendBefore), own,
    ]
  }
}

/// The advice on a release as a word with a symbol.
struct AdviceBadge: Markup {
  var judgement: Judgement

  init(_ judgement: Judgement) { self.judgement = judgement }

  func write(to html: inout HTMLWriter) {
    html.element("span", .class("badge", judgement.advice.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: judgement.advice.symbol)
      html.text(" " + judgement.word)
    }
  }
}

extension Judgement {
  /// The advice as a word. For a whole app or a replaced release it is the verdict, because neither can be shipped.
  var word: String {
    guard advice == .ship || advice == .hold else { return advice.word }
    guard let release, release.stage != .replaced else { return Optional(verdict).word }
    return advice.word
  }

  /// The reason for the advice, in one sentence.
  var reason: String {
    let titles = SentenceWords.unique(
      broken.filter { $0.result.verdict == verdict }.map { ShortenedName.text($0.title) })
    let names = SentenceWords.list(SentenceWords.shortened(titles, most: 6))
    switch advice {
    case .hold: return "\(names) \(titles.count == 1 ? "is" : "are") broken."
    case .watch:
      return "Nothing is broken; \(EventNoun.withinSentence(names)) "
        + "\(titles.count == 1 ? "is" : "are") at warning level."
    case .ship:
      let within = counts[.within, default: 0]
      if within == budgets.count {
        if within == 1 { return "The only budget is met." }
        return "\(within == 2 ? "Both" : "All \(SentenceWords.number(within))") budgets are met."
      }
      let met = SentenceWords.capitalized(SentenceWords.number(within))
      return "\(met) of \(SentenceWords.number(budgets.count)) budgets are met and none is broken."
    case .wait: return waitReason
    }
  }

  private var waitReason: String {
    if slice.environment == "simulated" { return "Simulated payloads from Xcode are shown but not judged." }
    guard budgets.isEmpty else { return "Nothing is broken, but most budgets do not have enough data." }
    guard let release else { return "No budget has data in this period." }
    if release.sessions == 0, release.payloads == 0 {
      return "Only diagnostics such as crashes and hangs were received. Verdicts need sessions or metrics."
    }
    return (release.adoption ?? 0) < Self.leastAdoption
      ? "Too few users have this release." : "No budget has data for this release."
  }
}

extension Judgement.Advice {
  var word: String {
    switch self {
    case .hold: "Hold"
    case .watch: "Watch"
    case .ship: "Ship"
    case .wait: "Not enough data"
    }
  }

  var symbol: String { verdict.symbol }
  /// The CSS class that gives the colour.
  var style: StaticString { verdict.style }

  private var verdict: Verdict? {
    switch self {
    case .hold: .broken
    case .watch: .warning
    case .ship: .within
    case .wait: .notEnoughData
    }
  }
}
