import Analysis
import Core

/// The form of the links between pages.
public enum LinkStyle: Sendable {
  /// Absolute paths, for a server.
  case served
  /// Relative paths of files, for a folder that opens without a server.
  case files
}

/// Makes the links of one page. Links between the pages of an app keep the filters.
struct Links: Sendable {
  /// The form in which addresses are written.
  var style: LinkStyle
  /// The page that holds the links.
  var origin: Page
  /// The filters of the page. Files have none, because they cannot be filtered.
  var filter: ReportQuery
  /// The path prefix of the server, such as `/plumb`; empty at the root of a host.
  var mountPath: String

  /// The titles and icons of apps, by bundle identifier.
  var identities: [String: AppTitleAndIcon] = [:]

  /// The links of the page `origin`.
  init(style: LinkStyle, from origin: Page, filter: ReportQuery = .init(), mountPath: String = "") {
    self.mountPath = mountPath
    self.style = style
    self.origin = origin
    self.filter = filter
  }

  /// The address of `page`, with the current filters that apply to it.
  func href(_ page: Page) -> String { href(page, filter) }

  /// The address of `page` with other filters.
  func href(_ page: Page, _ filter: ReportQuery) -> String {
    switch style {
    case .served:
      let query = page.app != nil && page.app == origin.app ? filter.text(page.keptFilters) : ""
      if query.isEmpty { return address(page) }
      return address(page) + (page.path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    case .files: return root + page.fileName
    }
  }

  /// The address of `page` on the server without filters, for forms, which send filters as fields.
  func address(_ page: Page) -> String { mountPath + page.path }

  /// The address of a file at the root of the site.
  func asset(_ name: String) -> String { root + name }

  private var root: String {
    switch style {
    case .served: mountPath + "/"
    case .files: String(repeating: "../", count: origin.fileName.utf8.count { $0 == UInt8(ascii: "/") })
    }
  }
}

extension Links {
  /// The links of the page `origin` in a context.
  init(_ context: PageContext, from origin: Page) {
    self.init(style: context.linkStyle, from: origin, filter: context.filter, mountPath: context.mountPath)
    identities = context.identities
  }
}
