import HTML
import Health

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
