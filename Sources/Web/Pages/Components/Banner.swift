import Analysis
import Core

/// A note at the top of a page about all of its numbers.
struct Banner: Markup {
  var text: String
  var isWarning = false

  func write(to html: inout HTMLWriter) {
    html.element("p", isWarning ? .class("banner", "warning") : .class("banner")) { html in
      if isWarning { html.element("span", Attribute("aria-hidden", literal: "true"), text: "▲ ") }
      html.element("bdi", text: text)
    }
  }

  /// A banner for stale data; nil for up to two days, because MetricKit payloads arrive a day or two late.
  static func stale(_ days: Int?) -> Self? {
    guard let days, days > 2 else { return nil }
    return Self(text: "The newest data is \(Decimal.grouped(days)) days old.", isWarning: true)
  }
}
