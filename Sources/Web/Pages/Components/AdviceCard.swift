import Analysis
import Core

/// A card of advice about a broken budget: how to confirm it, the usual causes, and a link to the guide.
struct AdviceCard: Markup {
  /// What to check first.
  var advice: String?
  /// The name of the metric's guide, such as `launch`.
  var guide: String?
  var links: Links
  /// A link to the page with the causes behind the metric; nil if there is none.
  var firstLook: FirstLook?

  /// The most causes shown on a card.
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

/// What to check first, in one line, with a link to the guide.
struct AdviceLine: Markup {
  var lead: StaticString = "First: "
  var advice: String?
  var guide: String?
  var links: Links
  /// A link to the page with the causes behind the metric; nil if there is none.
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

/// A link to the page with the causes behind a bad metric: the groups of its crashes or hangs, or the reasons for
/// exits.
struct FirstLook: Markup {
  private let page: Page
  private let title: String
  private let links: Links

  /// Finds the page with causes of the metric's value; nil if no page adds to the metric's own. `release`: only causes
  /// in this release; nil for all releases.
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
