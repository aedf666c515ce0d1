import HTML
import Wording

/// A line over the page about all of its numbers.
struct Banner: Markup {
  var text: String
  var isWarning = false

  func write(to html: inout HTMLWriter) {
    html.element("p", isWarning ? .class("banner", "warning") : .class("banner")) { html in
      if isWarning { html.element("span", Attribute("aria-hidden", literal: "true"), text: "▲ ") }
      html.element("bdi", text: text)
    }
  }

  /// MetricKit arrives a day or two late: older data is worth a banner.
  static func stale(_ days: Int?) -> Self? {
    guard let days, days > 2 else { return nil }
    return Self(text: "The newest data is \(Decimal.grouped(days)) days old.", isWarning: true)
  }
}
