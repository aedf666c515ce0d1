import HTML
import Telemetry

/// The way from the first page to this one. The last step is where the reader is.
struct Trail: Markup {
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
    case .app(let id), .report(let id): id
    case .dataQuality, .dataQualityReport: "Data quality"
    case .diagnostics, .diagnosticList, .diagnosticBody: "Diagnostics"
    case .metric(_, let name): Catalogue.metric(named: name)?.title ?? name
    case .compare(_, let base, let head), .comparison(_, let base, let head): "\(head) against \(base)"
    case .alerts, .alertList: "Alerts"
    case .login: "Sign in"
    case .logout: "Sign out"
    }
  }
}
