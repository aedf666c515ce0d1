import HTML
import Health
import Telemetry
import Wording

/// Every release of the window with its adoption and stability.
struct ReleaseTable: Markup {
  var releases: [ReleaseReport]

  func write(to html: inout HTMLWriter) {
    guard !releases.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Releases")
      html.write(
        Table(
          "Adoption is the share of the last day's sessions, of payloads for apps that send no sessions; "
            + "adopted from 10 % on",
          [
            "Release", "Stage", "Adoption", .number("Share of users"), .number("Sessions"), .number("Payloads"),
            .number("Crash-free sessions"), "First seen", "Last seen",
          ]
        ) { html in
          for release in releases { html.row { row(release, &$0) } }
        })
    }
  }

  private func row(_ release: ReleaseReport, _ html: inout HTMLWriter) {
    html.rowHead { $0.write(Name(release.release.title)) }
    html.element("td", text: release.stage?.title ?? Quantity.unknown)
    html.element("td", .class("adoption")) { html in
      html.number(release.adoption, .ratio)
      html.write(ShareBar(release.adoption))
    }
    html.element("td", .class("n")) { $0.number(release.adoptionDevices, .ratio) }
    html.countCell(release.sessions)
    html.countCell(release.payloads)
    html.estimateCell(release.crashFree.estimate, .ratio)
    html.element("td", text: release.firstSeen.iso)
    html.element("td", text: release.lastSeen.iso)
  }
}

extension ReleaseStage {
  /// As people read it.
  fileprivate var title: String {
    switch self {
    case .low: "Low"
    case .adopted: "Adopted"
    case .replaced: "Replaced"
    }
  }
}
