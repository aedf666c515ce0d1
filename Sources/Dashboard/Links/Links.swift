/// How the pages of a site point at each other.
public enum LinkStyle: Sendable {
  /// Absolute paths that a server answers.
  case served
  /// Relative paths to files, for a folder that opens without a server.
  case files
}

/// The addresses of other pages, seen from one page.
public struct Links: Sendable {
  /// How addresses are written.
  public var style: LinkStyle
  /// The page that holds the links.
  public var origin: Page

  /// The links of the page `origin`.
  public init(style: LinkStyle, from origin: Page) {
    self.style = style
    self.origin = origin
  }

  /// The address of `page`.
  public func href(_ page: Page) -> String {
    switch style {
    case .served: page.path
    case .files: root + page.fileName
    }
  }

  /// The same page with a filter: `?environment=testflight`. Nil in files, which cannot be asked.
  public func href(_ page: Page, environment: String) -> String? {
    style == .served ? "\(page.path)?environment=\(PathEncoding.percent(environment))" : nil
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
