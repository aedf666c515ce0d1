import HTML
import Telemetry

/// When a page or its numbers were made. An export that differs in nothing else is not written anew.
struct TimeElement: Markup {
  var moment: Timestamp

  init(_ moment: Timestamp) { self.moment = moment }

  func write(to html: inout HTMLWriter) {
    html.element("time", Attribute("datetime", moment.iso), text: moment.iso)
  }
}
