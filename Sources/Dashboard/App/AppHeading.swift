import HTML
import Health

/// The top of an app's page: its name, the answer in one sentence, and which part of the data it is about.
struct AppHeading: Markup {
  var page: AppPage
  var context: PageContext

  func write(to html: inout HTMLWriter) {
    let report = page.report
    html.element("h1") { $0.write(Name(report.app)) }
    html.element("p", .class("summary")) { html in
      let verdicts = page.vitals.map(\.result.verdict) + page.releaseResults.map(\.verdict)
      let worst = verdicts.map(Optional.some).min { $0.severity < $1.severity } ?? nil
      html.element("span", .class("tone", worst.style), Attribute("aria-hidden", literal: "true"), text: worst.symbol)
      html.text(" " + Summary.sentence(page.vitals))
      for (release, clause) in Summary.releases(page.releaseResults) {
        html.literal(" ")
        html.write(Name(release))
        html.text(" " + clause)
      }
    }
    if let note = report.environmentNote { html.write(Banner(text: note, isWarning: true)) }
    if let banner = Banner.stale(report.staleDays) { html.write(banner) }
    html.write(
      FilterBar(page: .app(report.app), window: report.window, slice: report.slice, context: context))
  }
}
