import HTML
import Health

/// The top of a metric's page.
struct MetricHeading: Markup {
  var page: MetricModel
  /// One that was asked for and that this metric does not have.
  var unknownLabel: String?
  var context: PageContext

  func write(to html: inout HTMLWriter) {
    html.element("h1") { $0.write(Name(page.report.title)) }
    html.element("p", .class("meta")) { html in
      html.element("code") { $0.write(Name(page.report.name)) }
    }
    if let note = page.environmentNote { html.write(Banner(text: note, isWarning: true)) }
    if let unknownLabel {
      html.element("p", .class("banner")) { html in
        html.text("This metric has no ")
        html.write(Name(unknownLabel))
        html.text(": these are all of its numbers.")
      }
    }
    html.write(
      FilterBar(
        page: .metric(app: page.app, name: page.report.name), window: page.window, slice: page.slice, context: context))
  }
}
