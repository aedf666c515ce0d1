import Core

/// A bar filled to a share, 0 to 1. It illustrates a number beside it.
struct ShareBar: Markup {
  var share: Double?

  init(_ share: Double?) { self.share = share }

  func write(to html: inout HTMLWriter) {
    let filled = share.map { $0.isFinite ? min(1, max(0, $0)) : 0 } ?? 0
    html.element(
      "svg", .class("bar"), Attribute("viewBox", literal: "0 0 100 6"),
      Attribute("preserveAspectRatio", literal: "none"), Attribute("aria-hidden", literal: "true")
    ) { html in
      html.leaf("rect", .class("track"), Attribute("width", 100), Attribute("height", 6))
      html.leaf("rect", .class("fill"), Attribute("width", filled * 100), Attribute("height", 6))
    }
  }
}
