import Analysis
import Core

/// A line at the top of a page that concerns all of its numbers.
struct Banner: Markup {
  var text: String
  var isWarning = false

  func write(to html: inout HTMLWriter) {
    html.element("p", isWarning ? .class("banner", "warning") : .class("banner")) { html in
      if isWarning { html.element("span", Attribute("aria-hidden", literal: "true"), text: "▲ ") }
      html.element("bdi", text: text)
    }
  }

  /// A banner for old data; nil up to a usual delay, because MetricKit payloads arrive a day or two late.
  static func stale(_ days: Int?) -> Self? {
    guard let days, days > 2 else { return nil }
    return Self(text: "The newest data is \(Decimal.grouped(days)) days old.", isWarning: true)
  }
}
