import Analysis
import Core
import Storage

/// Every release of the window with its adoption and stability.
struct ReleaseTable: Markup {
  var app: String
  var heading = "Releases"
  /// The newest first.
  var releases: [ReleaseReport]
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !releases.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: heading)
      html.write(
        Table(
          "Adoption is the share of the last day's sessions, of payloads for apps that send no sessions; a stage changes "
            + "when 10 % are passed for six hours", of: releases.enumerated(), style: "stack brief"
        ) {
          Column.head("Release") { link($0.element.release, &$1) }
          Column("Stage") { $0.element.stage?.title ?? Quantity.unknown }
          Column("Adoption", .class("adoption")) { entry, html in
            html.number(entry.element.adoption, .ratio)
            html.write(ShareBar(entry.element.adoption))
          }
          Column.number("Share of users") { $1.number($0.element.adoptionDevices, .ratio) }
          Column.count(counted) { hasSessions ? $0.element.sessions : $0.element.payloads }
          Column.estimate("Crash-free sessions", { _ in .ratio }, \.element.crashFree.estimate)
          Column("Seen", .class("date")) { "\($0.element.firstSeen.iso) to \($0.element.lastSeen.iso)" }
          if links.style == .served {
            Column("Compare") { compare($0.element, with: previous($0.offset), &$1) }
          }
        })
    }
  }

  private var hasSessions: Bool { releases.contains { $0.sessions > 0 } }
  private var counted: String { hasSessions ? "Sessions" : "MetricKit payloads" }

  /// The release before the one at an index; nil for reports of several versions.
  private func previous(_ index: Int) -> String? {
    guard releases[index].release.isNamed else { return nil }
    return releases[(index + 1)...].first(where: \.release.isNamed)?.release.title
  }

  private func link(_ release: Release, _ html: inout HTMLWriter) {
    guard release != .mixed else { return html.write(Name(release.title)) }
    html.element("a", .href(links.href(.release(app: app, name: release.title)))) { $0.write(Name(release.title)) }
  }

  private func compare(_ release: ReleaseReport, with previous: String?, _ html: inout HTMLWriter) {
    guard let previous else { return html.text(Quantity.unknown) }
    let page = Page.compare(app: app, base: previous, head: release.release.title)
    html.element("a", .href(links.href(page))) { html in
      html.text("with ")
      html.write(Name(previous))
    }
  }
}

extension ReleaseStage {
  /// The stage in words.
  fileprivate var title: String {
    switch self {
    case .low: "Low"
    case .adopted: "Adopted"
    case .replaced: "Replaced"
    }
  }
}

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
          Column.count("Users", \.users)
          Column("Introduced in") { group, html in
            if let release = group.introduced { html.write(Name(release)) } else { html.text(Quantity.unknown) }
          }
          Column("Trend") { $1.write(GroupTrend(days: $0.days, window: list.window)) }
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

  /// Whether the group was in no release before the one that is judged.
  static func isNew(_ group: GroupSummary, _ list: GroupList) -> Bool {
    guard let release = list.slice.release else { return GroupWords.isNew(group, in: list.window) }
    return group.introduced.map { Release(title: $0).isCalled(release) } ?? false
  }
}
