import HTML
import Health
import Storage
import Telemetry
import Wording

/// How many people use the release.
struct AdoptionSection: Markup {
  var release: ReleaseModel
  var links: Links

  private var isUsed: Bool {
    let own = release.decision.release
    return own.sessions > 0 || own.payloads > 0 || (own.adoption ?? 0) > 0
  }

  private var counts: String {
    let own = release.decision.release
    return Noun.count(own.sessions, of: "sessions.crash_free")
      + " and \(Decimal.grouped(own.payloads)) MetricKit \(own.payloads == 1 ? "payload" : "payloads")"
  }

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Adoption")
      guard isUsed else {
        return html.element("p", text: "No session and no payload of it came since \(release.window.from.iso).")
      }
      html.element("p") { html in
        html.number(release.decision.release.adoption, .ratio)
        html.text(" of the last day’s use; \(counts) since \(release.window.from.iso).")
      }
      html.write(
        TrendFigure(
          title: "Adoption of \(PlainName.text(release.name)) \(StepWords(release.adoption).by)",
          lines: [TrendChart.Line(name: "", style: "first", points: release.adoption)], unit: .ratio,
          direction: .lower, source: links.origin, links: links))
    }
  }
}
