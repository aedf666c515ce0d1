import Analysis
import Core

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
