import HTML
import Health
import Storage
import Telemetry
import Wording

/// How many people use the release.
struct AdoptionSection: Markup {
  var release: ReleasePage
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Adoption")
      html.element("p") { html in
        html.number(release.decision.release.adoption, .ratio)
        html.text(" of the last day’s use; ")
        html.text(
          "\(Decimal.grouped(release.decision.release.sessions)) sessions and "
            + "\(Decimal.grouped(release.decision.release.payloads)) MetricKit payloads since "
            + "\(release.window.from.iso).")
      }
      html.write(
        TrendFigure(
          title: "Adoption of \(PlainName.text(release.name)) \(StepWords(release.adoption).by)",
          lines: [TrendChart.Line(name: "", style: "first", points: release.adoption)], unit: .ratio,
          direction: .lower, source: links.origin, links: links))
    }
  }
}
