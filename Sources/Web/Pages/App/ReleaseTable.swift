import Analysis
import Core
import Storage

/// Every release of the window with its adoption and stability.
struct ReleaseTable: Markup {
  var app: String
  var heading = "Releases"
  /// Newest first.
  var releases: [ReleaseReport]
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !releases.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: heading)
      html.write(
        Table(
          "Adoption is the share of the last day's sessions, or of payloads if the app sends no sessions. A release "
            + "changes stage after six hours above or below 10 %", of: releases.enumerated(), style: "stack brief"
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

  /// The release before the one at an index; nil for reports that span several versions.
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
