import Analysis
import Core
import Storage

/// The exits page: foreground exits, which interrupt a user, and background exits.
enum ExitsView {
  /// The page as UTF-8.
  static func render(_ exits: ExitsModel, _ context: PageContext) -> [UInt8] {
    let page = Page.exits(app: exits.app)
    let layout = Layout(
      page: page, title: "Exits of " + ShortenedName.text(exits.app), context: context,
      asOf: exits.asOf,
      footer: "Based on all payloads up to no. \(Decimal.grouped(Int(exits.digestedThrough))).")
    return layout.render { html in
      html.element("h1", text: "Exits")
      html.element("p", .class("summary"), text: sentence(exits))
      if let note = exits.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(FilterBar(page: page, window: exits.window, slice: exits.slice, context: context))
      guard !exits.rows.isEmpty else {
        return html.write(
          EmptyState(
            what: "MetricKit reports exits in its daily payloads, from iOS 14.", app: exits.app, links: layout.links))
      }
      html.write(BudgetCards(heading: "Budgets", results: exits.budgets, window: exits.window))
      html.element("section") { html in
        html.element("h2", text: "Foreground terminations \(TimeStepWords(exits.trend).by)")
        html.write(
          TrendFigure(
            title: "Foreground terminations per 1,000 launches and resumes, \(TimeStepWords(exits.trend).by)",
            lines: [TrendChart.Line(name: "", style: "first", points: exits.trend)], unit: .perThousand,
            direction: .lower, markers: exits.releaseMarkers, source: page, table: .trend, links: layout.links))
      }
      html.write(ExitBreakdown(page: exits, links: layout.links))
      let parts =
        [
          MetricParts(heading: "By release", dimension: "Release", rows: exits.byRelease, part: .release),
          MetricParts(
            heading: "By device class", dimension: "Device class", rows: exits.byDeviceClass, part: .deviceClass),
        ] + MetricParts.byAttribute(exits.byAttribute)
      for parts in parts {
        html.write(
          BreakdownTable(
            heading: parts.heading, dimension: parts.dimension, rows: parts.rows, direction: .lower,
            noun: "Per 1,000 launches", source: page, links: layout.links, part: parts.part))
      }
      html.write(
        AdviceLine(advice: "Look at the exit reason that grew.", guide: "crash-free", links: layout.links))
    }
  }

  private static func sentence(_ page: ExitsModel) -> String {
    guard let terminations = page.terminations, terminations.value.value != nil else {
      return page.rows.isEmpty ? "No exits in this period." : "Exits were counted, but launches were not."
    }
    let low =
      terminations.value.low == nil && terminations.value.high == nil
      ? "" : " (\(Quantity.interval(terminations.value, .count)))"
    return
      "\(Quantity.text(terminations.value, .count)) foreground terminations per 1,000 launches and resumes\(low)."
  }
}

/// A table of exit reasons, in the foreground and in the background.
struct ExitBreakdown: Markup {
  var page: ExitsModel
  var links: Links

  /// The maximum number of groups per reason.
  private static let mostGroups = 3

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Exit reasons")
      html.write(
        Table.cards(
          "Foreground exits interrupt a user; background exits do not. Rates are per 1,000 launches and resumes of the "
            + "same payloads", of: shown
        ) {
          Column.head("Reason") { row, html in
            html.text(SentenceWords.capitalized(row.reason.title))
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
        html.element("p", .class("meta"), text: "Reasons without exits: \(unseen).")
      }
    }
  }

  private func happened(_ row: ExitRow) -> Bool {
    row.reason == .normal || (row.foreground ?? 0) + (row.background ?? 0) > 0
  }

  /// Normal exits, then each other reason that occurred, most frequent in the foreground first.
  private var shown: [ExitRow] {
    page.rows.filter(happened).sorted { left, right in
      let counts = (left.foreground ?? 0, right.foreground ?? 0)
      if left.reason == .normal || right.reason == .normal { return left.reason == .normal && right.reason != .normal }
      return counts.0 == counts.1 ? (left.background ?? 0) > (right.background ?? 0) : counts.0 > counts.1
    }
  }

  private var unseen: String {
    SentenceWords.list(page.rows.filter { !happened($0) }.map(\.reason.title))
  }

  private func explanation(_ row: ExitRow, _ html: inout HTMLWriter) {
    guard !row.groups.isEmpty else { return html.text("No group in the same release.") }
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

  /// The group's reports in the release that has most of them, and the exits in that release.
  private static func figure(_ group: ExitGroup) -> String {
    let exits = group.exits == 1 ? "1 exit" : "\(Decimal.grouped(group.exits)) exits"
    let what = group.isReport ? "" : "possible cause: "
    return "\(what)\(GroupWords.reports(group.diagnostics)) and \(exits) in \(ShortenedName.text(group.release))"
  }
}

extension ExitReason {
  /// The effect of the reason on users, and what to check.
  var meaning: String {
    switch self {
    case .normal: "The user left the app, or it ended normally."
    case .memoryLimit: "The app exceeded its memory limit."
    case .cpuLimit: "The app used too much CPU time."
    case .badAccess: "A crash: access to invalid memory."
    case .abnormal: "A crash: an abort, such as an uncaught exception."
    case .illegalInstruction: "A crash: a trap, such as a forced unwrap of nil."
    case .watchdog: "The app did not respond in time, usually while launching or resuming."
    case .memoryPressure:
      "iOS needed the memory for other apps. Common in the background; apps that use less memory stay suspended longer."
    case .suspendedWithLockedFile: "The app held a file or database lock while suspended."
    case .backgroundTaskTimeout: "A background task did not end in time."
    case .backgroundURLSessionTimeout: "A background transfer was not handled in time."
    case .backgroundFetchTimeout: "A background fetch did not finish in time."
    }
  }
}
