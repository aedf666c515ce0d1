public import Health

/// How the pages of a site point at each other.
public enum LinkStyle: Sendable {
  /// Absolute paths that a server answers.
  case served
  /// Relative paths to files, for a folder that opens without a server.
  case files
}

/// The addresses of other pages, seen from one page. Filters stay while one moves between the pages of an app.
public struct Links: Sendable {
  /// How addresses are written.
  public var style: LinkStyle
  /// The page that holds the links.
  public var origin: Page
  /// What the numbers of the origin are narrowed by. Files cannot be asked, so that they have none.
  public var filter: ReportQuery

  /// The links of the page `origin`.
  public init(style: LinkStyle, from origin: Page, filter: ReportQuery = .init()) {
    self.style = style
    self.origin = origin
    self.filter = filter
  }

  /// The address of `page`, with the filters that hold there, too.
  public func href(_ page: Page) -> String { href(page, filter) }

  /// The address of `page` with filters of its own.
  public func href(_ page: Page, _ filter: ReportQuery) -> String {
    switch style {
    case .served:
      let query = page.app != nil && page.app == origin.app ? filter.text(page.keptFilters) : ""
      if query.isEmpty { return page.path }
      return page.path + (page.path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    case .files: return root + page.fileName
    }
  }

  /// The address of a file that lies at the root of the site.
  public func asset(_ name: String) -> String { root + name }

  private var root: String {
    switch style {
    case .served: "/"
    case .files: String(repeating: "../", count: origin.fileName.utf8.count { $0 == UInt8(ascii: "/") })
    }
  }
}
