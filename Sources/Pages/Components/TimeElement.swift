import HTML
import Telemetry

/// The time at which a page or its numbers were made. A static export ignores it when it looks for changes.
struct TimeElement: Markup {
  var moment: Timestamp

  init(_ moment: Timestamp) { self.moment = moment }

  func write(to html: inout HTMLWriter) {
    html.element("time", Attribute("datetime", moment.iso), text: moment.iso)
  }
}
