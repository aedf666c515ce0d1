import HTML
import Health

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

/// The page that shows what is behind a bad metric: the groups of its crashes or hangs, or why iOS ended the app.
struct FirstLook: Markup {
  private let page: Page
  private let title: String
  private let links: Links

  /// Nil where no page knows more than the metric's own. `release`: which one's, where it is one's.
  init?(metric: String, app: String, release: String?, links: Links) {
    switch metric.prefix(while: { $0 != "." }) {
    case "sessions", "users": (page, title) = (.groups(app: app, kind: "crash"), "Crash groups")
    case "hang": (page, title) = (.groups(app: app, kind: "hang"), "Hang groups")
    case "exits": (page, title) = (.exits(app: app), "Exits")
    case "cpu": (page, title) = (.groups(app: app, kind: "cpu_exception"), "Groups of CPU reports")
    case "disk": (page, title) = (.groups(app: app, kind: "disk_write_exception"), "Groups of disk-write reports")
    default: return nil
    }
    var links = links
    if let release { links.filter.release = release }
    self.links = links
  }

  func write(to html: inout HTMLWriter) {
    html.element("a", .href(links.href(page)), text: title)
  }
}
