import HTML

/// What to do first about a broken vital: how to confirm it, the usual causes, the way to the whole guide.
struct AdviceCard: Markup {
  /// What to open first.
  var advice: String?
  /// The family of guides.
  var guide: String?
  var links: Links
  /// The page that shows what is behind it.
  var firstLook: FirstLook?

  /// So many causes fit a card.
  private static let shownCauses = 3

  func write(to html: inout HTMLWriter) {
    let found = guide.flatMap(GuideLibrary.guide)
    guard advice != nil || found != nil else { return }
    html.element("div", .class("advice")) { html in
      if let advice {
        html.element("p") { html in
          html.element("strong", text: "First: ")
          html.element("bdi", text: advice)
          if let firstLook {
            html.literal(" ")
            html.write(firstLook)
          }
        }
      }
      if let found { causes(found, &html) }
    }
  }

  private func causes(_ guide: Guide, _ html: inout HTMLWriter) {
    html.element("p", text: "Usual causes, in the order to check them:")
    html.element("ol") { html in
      for cause in guide.causes.prefix(Self.shownCauses) {
        html.element("li") { $0.write(GuideText(text: cause, links: links)) }
      }
    }
    html.element("p") { html in
      html.element("a", .href(links.href(.guide(guide.family)))) { html in
        html.text("Guide: \(guide.title)")
      }
    }
  }
}
