import HTML
import Telemetry

/// The way from the first page to this one. The last step is where the reader is.
struct Breadcrumbs: Markup {
  var pages: [Page]
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("nav", Attribute("aria-label", literal: "Breadcrumb")) { html in
      html.element("ol") { html in
        for (index, page) in pages.enumerated() {
          html.element("li") { step(page, isLast: index == pages.count - 1, &$0) }
        }
      }
    }
  }

  private func step(_ page: Page, isLast: Bool, _ html: inout HTMLWriter) {
    if isLast {
      html.element("span", Attribute("aria-current", literal: "page")) { $0.write(Name(title(page))) }
    } else {
      html.element("a", .href(links.href(page))) { $0.write(Name(title(page))) }
    }
  }

  private func title(_ page: Page) -> String {
    switch page {
    case .overview: "Apps"
    case .app(let id): id
    case .release(_, let name): name
    case .metric(_, let name): Catalogue.metric(named: name)?.title ?? name
    case .sessions: "Sessions"
    case .exits: "Exits"
    case .budgets: "Budgets"
    case .checklist: "Checklist"
    case .setup: "Setup"
    case .dataQuality: "Data quality"
    case .groups: "Crashes and hangs"
    case .group(_, let id), .groupFocus(_, let id, _): id
    case .diagnostics, .diagnosticBody: "Diagnostics"
    case .alerts: "Alerts"
    case .newest: "Compare"
    case .compare(_, let base, let head): "\(head) against \(base)"
    case .guides: "Guides"
    case .guide(let family): GuideLibrary.guide(family)?.title ?? family
    case .data(let page, _), .table(let page, _): title(page)
    case .login: "Sign in"
    case .logout: "Sign out"
    }
  }
}
