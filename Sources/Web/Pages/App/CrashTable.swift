import Analysis
import Core
import Storage

/// The largest crash groups of the judged release or app, with their share of its sessions.
struct CrashTable: Markup {
  var app: String
  /// Nil if nothing crashed.
  var list: GroupList?
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard let list, !list.groups.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Top crashes")
      html.write(
        Table(caption(list), of: list.groups, style: "stack brief") {
          Column.head("Crash") { group, html in
            html.element("a", .href(links.href(.group(app: app, id: group.id)))) { $0.write(Name(group.title)) }
            html.text(" ")
            html.write(GroupBadge(status: group.status, isNew: Self.isNew(group, list)))
          }
          Column.number("Share") { group, html in
            html.element("strong") { $0.number(group.share.estimate, .ratio) }
            html.text(" ")
            html.interval(group.share.estimate, .ratio)
            if group.shareBasis == .diagnostics, list.sessions > 0 { html.element("small", text: " of reports") }
          }
          Column.count("Users affected", \.users)
          Column("Introduced in") { group, html in
            if let release = group.introduced { html.write(Name(release)) } else { html.text(Quantity.unknown) }
          }
          Column("Trend") { $1.write(GroupTrend(days: $0.days, window: list.window)) }
        })
      html.element("p", .class("meta")) { html in
        html.element(
          "a", .href(links.href(.groups(app: app, kind: "crash"))),
          text: list.total > list.groups.count
            ? "All \(Decimal.grouped(list.total)) crash groups" : "Groups of crashes, hangs and other diagnostics")
      }
    }
  }

  private func caption(_ list: GroupList) -> String {
    let what = list.slice.release.map { ShortenedName.text($0) } ?? "All releases"
    guard list.sessions > 0 else { return "\(what): shares of crash reports" }
    return "\(what), \(list.window.text): shares of \(Decimal.grouped(list.sessions)) sessions, with 95 % intervals"
  }

  /// Whether the group was introduced in the judged release or, for the whole app, whether it is new in the window.
  static func isNew(_ group: GroupSummary, _ list: GroupList) -> Bool {
    guard let release = list.slice.release else { return GroupWords.isNew(group, in: list.window) }
    return group.introduced.map { Release(title: $0).isCalled(release) } ?? false
  }
}
