import HTML
import Health
import Telemetry

/// Every release of the window with its adoption and stability.
struct ReleaseTable: Markup {
  var releases: [ReleaseReport]

  func write(to html: inout HTMLWriter) {
    guard !releases.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Releases")
      html.write(
        Table(
          "Adoption is the share of the last day's sessions; of payloads for apps that send no sessions",
          [
            "Release", "Adoption", .number("Sessions"), .number("Payloads"), .number("Crash-free sessions"),
            "First seen", "Last seen",
          ]
        ) { html in
          for release in releases { html.row { row(release, &$0) } }
        })
    }
  }

  private func row(_ release: ReleaseReport, _ html: inout HTMLWriter) {
    html.rowHead { $0.write(Name(release.release.title)) }
    html.element("td", .class("adoption")) { html in
      html.number(release.adoption, .ratio)
      html.write(ShareBar(release.adoption))
    }
    html.countCell(release.sessions)
    html.countCell(release.payloads)
    html.estimateCell(release.crashFree.estimate, .ratio)
    html.element("td", text: release.firstSeen.iso)
    html.element("td", text: release.lastSeen.iso)
  }
}
