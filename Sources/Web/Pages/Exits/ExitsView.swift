import Analysis
import Core
import Storage

/// The exits page: exits that users noticed, and exits in the background.
enum ExitsView {
  /// The page as UTF-8.
  static func render(_ exits: ExitsModel, _ context: PageContext) -> [UInt8] {
    let page = Page.exits(app: exits.app)
    let layout = Layout(
      page: page, title: "Exits of " + PlainName.text(exits.app), context: context,
      asOf: exits.asOf,
      footer: "Payloads up to number \(Decimal.grouped(Int(exits.digestedThrough))).")
    return layout.render { html in
      html.element("h1", text: "Exits")
      html.element("p", .class("summary"), text: sentence(exits))
      if let note = exits.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(FilterBar(page: page, window: exits.window, slice: exits.slice, context: context))
      guard !exits.rows.isEmpty else {
        return html.write(
          EmptyState(
            what: "Exits come with MetricKit’s daily payloads, from iOS 14 on.", app: exits.app, links: layout.links))
      }
      html.write(BudgetCards(heading: "Budgets", results: exits.budgets, window: exits.window))
      html.element("section") { html in
        html.element("h2", text: "Foreground terminations \(StepWords(exits.trend).by)")
        html.write(
          TrendFigure(
            title: "Foreground terminations per 1,000 launches and resumes, \(StepWords(exits.trend).by)",
            lines: [TrendChart.Line(name: "", style: "first", points: exits.trend)], unit: .perThousand,
            direction: .lower, markers: exits.releaseMarkers, source: page, table: .trend, links: layout.links))
      }
      html.write(ExitBreakdown(page: exits, links: layout.links))
      let attribute = MetricParts(exits.byAttribute)
      let parts: [(String, String, [Breakdown], FilterPart)] = [
        ("By release", "Release", exits.byRelease, .release),
        ("By devices", "Devices", exits.byDeviceClass, .deviceClass),
        (attribute.heading, attribute.dimension, attribute.rows, attribute.part),
      ]
      for (title, dimension, rows, part) in parts {
        html.write(
          BreakdownTable(
            heading: title, dimension: dimension, rows: rows, direction: .lower, noun: "Per 1,000 launches",
            source: page, links: layout.links, part: part))
      }
      html.write(
        AdviceLine(advice: "Look at the kind of exit that grew.", guide: "crash-free", links: layout.links))
    }
  }

  private static func sentence(_ page: ExitsModel) -> String {
    guard let terminations = page.terminations, terminations.value.value != nil else {
      return page.rows.isEmpty ? "No exits in these days." : "Exits were counted, but no launches to hold them against."
    }
    let low =
      terminations.value.low == nil && terminations.value.high == nil
      ? "" : " (\(Quantity.interval(terminations.value, .count)))"
    return
      "Of 1,000 launches and resumes, \(Quantity.text(terminations.value, .count)) were ended before people’s eyes\(low)."
  }
}

/// A table of exit reasons, in the foreground and in the background.
struct ExitBreakdown: Markup {
  var page: ExitsModel
  var links: Links

  /// The most groups named for one reason.
  private static let mostGroups = 3

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Why")
      html.write(
        Table.cards(
          "In the foreground somebody was looking; in the background nobody was. Rates are per 1,000 launches and "
            + "resumes of the same payloads", of: shown
        ) {
          Column.head("Reason") { row, html in
            html.text(Summary.capitalized(row.reason.title))
            html.text(" ")
            html.element("small", text: row.reason.meaning)
          }
          Column.count("Foreground", \.foreground)
          Column.number("per 1,000") { $1.number($0.foregroundRate, .count) }
          Column.count("Background", \.background)
          Column.number("per 1,000") { $1.number($0.backgroundRate, .count) }
          Column("Explained by", content: explanation).absent { $0.reason == .normal }
        })
      if shown.count < page.rows.count {
        html.element("p", .class("meta"), text: "Not seen: \(unseen).")
      }
    }
  }

  private func happened(_ row: ExitRow) -> Bool {
    row.reason == .normal || (row.foreground ?? 0) + (row.background ?? 0) > 0
  }

  /// Normal exits, and each other reason that happened, the most frequent in the foreground first.
  private var shown: [ExitRow] {
    page.rows.filter(happened).sorted { left, right in
      let counts = (left.foreground ?? 0, right.foreground ?? 0)
      if left.reason == .normal || right.reason == .normal { return left.reason == .normal && right.reason != .normal }
      return counts.0 == counts.1 ? (left.background ?? 0) > (right.background ?? 0) : counts.0 > counts.1
    }
  }

  private var unseen: String {
    Summary.list(page.rows.filter { !happened($0) }.map(\.reason.title))
  }

  private func explanation(_ row: ExitRow, _ html: inout HTMLWriter) {
    guard !row.groups.isEmpty else { return html.text("No group of the same release.") }
    html.element("ul", .class("plain")) { html in
      for group in row.groups.prefix(Self.mostGroups) {
        html.element("li") { html in
          html.element("a", .href(links.href(.group(app: page.app, id: group.id)))) { $0.write(CodeName(group.title)) }
          html.text(" ")
          html.element("small", text: Self.figure(group))
        }
      }
      if row.groups.count > Self.mostGroups {
        let rest = row.groups.count - Self.mostGroups
        html.element("li") { html in
          html.element("small", text: "and \(Decimal.grouped(rest)) more \(rest == 1 ? "group" : "groups")")
        }
      }
    }
  }

  /// The group's reports in the release that has most of them, beside the exits counted there.
  private static func figure(_ group: ExitGroup) -> String {
    let exits = group.exits == 1 ? "1 exit" : "\(Decimal.grouped(group.exits)) exits"
    let what = group.isReport ? "" : "may lead to it: "
    return "\(what)\(GroupWords.reports(group.diagnostics)) in \(PlainName.text(group.release)), \(exits) counted there"
  }
}

extension ExitReason {
  /// The effect of the reason on users, and what to check.
  var meaning: String {
    switch self {
    case .normal: "The app was left, or ended in order."
    case .memoryLimit: "It used more memory than one app may."
    case .cpuLimit: "It kept the processor busy for too long."
    case .badAccess: "A crash: memory that was not its own."
    case .abnormal: "A crash: an abort, such as an uncaught exception."
    case .illegalInstruction: "A crash: a trap, such as a forced unwrap of nil."
    case .watchdog: "It did not answer in time, mostly while launching or resuming."
    case .memoryPressure:
      "The system needed its memory for others. Common in the background; a small suspended app lives longer."
    case .suspendedWithLockedFile: "It held a file or database lock while it was suspended."
    case .backgroundTaskTimeout: "A background task was not ended in time."
    case .backgroundURLSessionTimeout: "It did not finish handling a background transfer in time."
    case .backgroundFetchTimeout: "A background fetch was not finished in time."
    }
  }
}
