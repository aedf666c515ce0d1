import HTML

/// What to open first, in one line, and the way to the guide.
struct AdviceLine: Markup {
  var lead: StaticString = "First: "
  var advice: String?
  var guide: String?
  var links: Links
  /// The page that shows what is behind it.
  var firstLook: FirstLook?

  func write(to html: inout HTMLWriter) {
    guard let advice else { return }
    html.element("p", .class("advice")) { html in
      html.element("strong") { $0.literal(lead) }
      html.element("bdi", text: advice)
      if let firstLook {
        html.literal(" ")
        html.write(firstLook)
      }
      guard let guide = guide.flatMap(GuideLibrary.guide) else { return }
      html.text(" ")
      html.element("a", .href(links.href(.guide(guide.family)))) { $0.text("Guide: \(guide.title)") }
    }
  }
}
