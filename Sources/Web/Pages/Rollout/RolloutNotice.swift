import Analysis
import Core
import Storage

/// The verdict on a rollout in one line, with what the release will cost and a link to its page.
struct RolloutNotice: Markup {
  var report: RolloutReport
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("p") { html in
      html.element("a", .href(links.href(.rollout(app: report.app, release: report.release)))) { html in
        html.text("Rollout of ")
        html.write(Name(report.release))
      }
      html.text(" ")
      html.write(RolloutBadge(report))
      html.text(" ")
      html.element("bdi", text: report.sentence)
      if let forecast = report.forecast {
        html.text(" ")
        html.element("bdi", text: forecast.sentence)
      }
    }
  }
}
