import Analysis
import Core

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
            + "when 10 % are passed for six hours",
          [
            "Release", "Stage", "Adoption", .number("Share of users"), .number(counted),
            .number("Crash-free sessions"), "Seen",
          ] + (links.style == .served ? ["Compare"] : []), style: "stack brief"
        ) { html in
          for index in releases.indices {
            html.row { row(releases[index], previous: previous(index), &$0) }
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

  private func row(_ release: ReleaseReport, previous: String?, _ html: inout HTMLWriter) {
    html.rowHead { html in
      guard release.release != .mixed else { return html.write(Name(release.release.title)) }
      html.element("a", .href(links.href(.release(app: app, name: release.release.title)))) {
        $0.write(Name(release.release.title))
      }
    }
    html.element("td", .column("Stage"), text: release.stage?.title ?? Quantity.unknown)
    html.element("td", .class("adoption"), .column("Adoption")) { html in
      html.number(release.adoption, .ratio)
      html.write(ShareBar(release.adoption))
    }
    html.element("td", .class("n"), .column("Share of users")) { $0.number(release.adoptionDevices, .ratio) }
    html.countCell(hasSessions ? release.sessions : release.payloads, head: counted)
    html.estimateCell(release.crashFree.estimate, .ratio, head: "Crash-free sessions")
    html.element("td", .class("date"), .column("Seen"), text: "\(release.firstSeen.iso) to \(release.lastSeen.iso)")
    guard links.style == .served else { return }
    html.element("td", .column("Compare")) { html in
      guard let previous else { return html.text(Quantity.unknown) }
      let page = Page.compare(app: app, base: previous, head: release.release.title)
      html.element("a", .href(links.href(page))) { html in
        html.text("with ")
        html.write(Name(previous))
      }
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
