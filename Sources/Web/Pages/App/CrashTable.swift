import Analysis
import Core
import Storage

/// The largest groups of crashes of what is judged, by their share of its sessions.
struct CrashTable: Markup {
  var app: String
  /// Nil if nothing crashed.
  var list: GroupList?
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard let list, !list.groups.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "What crashes")
      html.write(
        Table(
          caption(list),
          ["Crash", .number("Share"), .number("Users"), "Introduced in", "Trend"], style: "stack brief"
        ) { html in
          for group in list.groups { html.row { row(group, list, &$0) } }
        })
      html.element("p", .class("meta")) { html in
        html.element(
          "a", .href(links.href(.groups(app: app, kind: "crash"))),
          text: list.total > list.groups.count
            ? "All \(Decimal.grouped(list.total)) groups of crashes" : "Groups of crashes, hangs and more")
      }
    }
  }

  private func caption(_ list: GroupList) -> String {
    let what = list.slice.release.map { PlainName.text($0) } ?? "All releases"
    guard list.sessions > 0 else { return "\(what): shares are of its crash reports" }
    return "\(what), \(list.window.text): shares of its \(Decimal.grouped(list.sessions)) sessions, with 95 % intervals"
  }

  private func row(_ group: GroupSummary, _ list: GroupList, _ html: inout HTMLWriter) {
    html.rowHead { html in
      html.element("a", .href(links.href(.group(app: app, id: group.id)))) { $0.write(Name(group.title)) }
      html.text(" ")
      html.write(GroupBadge(status: group.status, isNew: Self.isNew(group, list)))
    }
    html.element("td", .class("n"), .column("Share")) { html in
      html.element("strong") { $0.number(group.share.estimate, .ratio) }
      html.text(" ")
      html.interval(group.share.estimate, .ratio)
      if group.shareBasis == .diagnostics, list.sessions > 0 { html.element("small", text: " of reports") }
    }
    html.element("td", .class("n"), .column("Users"), text: group.users.map(Decimal.grouped) ?? Quantity.unknown)
    html.element("td", .column("Introduced in")) { html in
      if let release = group.introduced { html.write(Name(release)) } else { html.text(Quantity.unknown) }
    }
    html.element("td", .column("Trend")) { $0.write(GroupTrend(days: group.days, window: list.window)) }
  }

  /// Whether the group was in no release before the one that is judged.
  static func isNew(_ group: GroupSummary, _ list: GroupList) -> Bool {
    guard let release = list.slice.release else { return GroupWords.isNew(group, in: list.window) }
    return group.introduced.map { Release(title: $0).isCalled(release) } ?? false
  }
}
