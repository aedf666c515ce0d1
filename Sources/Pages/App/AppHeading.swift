import HTML
import Health

/// The top of an app's page: its name, the answer in one sentence, and which part of the data it is about.
struct AppHeading: Markup {
  var page: AppStatus
  var context: PageContext

  func write(to html: inout HTMLWriter) {
    let report = page.report
    html.element("h1") { $0.write(Name(report.app)) }
    html.element("p", .class("summary")) { html in
      let verdicts = page.vitals.map(\.result.verdict) + page.releaseResults.map(\.verdict)
      let worst = verdicts.map(Optional.some).min { $0.severity < $1.severity } ?? nil
      html.element("span", .class("tone", worst.style), Attribute("aria-hidden", literal: "true"), text: worst.symbol)
      html.literal(" ")
      answer(&html)
    }
    if let note = report.environmentNote { html.write(Banner(text: note, isWarning: true)) }
    if let banner = Banner.stale(report.staleDays) { html.write(banner) }
    html.write(
      FilterBar(page: .app(report.app), window: report.window, slice: report.slice, context: context))
  }

  /// What is bad first: a release that breaks a budget before an app that does not.
  private func answer(_ html: inout HTMLWriter) {
    guard context.budgetError == nil else { return html.text("Nothing is judged: the budget file has an error.") }
    let releases = Summary.releases(page.releaseResults)
    let isCalm = !page.vitals.contains { $0.result.verdict == .broken }
    if !isCalm { html.text(Summary.sentence(page.vitals)) }
    for (place, part) in releases.enumerated() {
      if place > 0 || !isCalm { html.literal(" ") }
      html.write(Name(part.release))
      html.text(" " + part.clause)
    }
    guard isCalm else { return }
    if !releases.isEmpty { html.text(" For all releases together: ") }
    html.text(page.vitals.isEmpty ? nothing : Summary.sentence(page.vitals))
  }

  /// Why there is no verdict on the app as a whole.
  private var nothing: String {
    let isEmpty = page.report.sessions.total == 0 && page.report.metrics.isEmpty && page.report.releases.isEmpty
    return isEmpty ? "Nothing was received of these days." : "No budget has data in these days."
  }
}
