import Storage

/// An app's title and icon.
struct AppTitleAndIcon: Sendable, Hashable {
  /// Nil to show the bundle identifier.
  var title: String?
  /// A hash of the icon's bytes; nil without one.
  var iconTag: String?

  init(_ app: App) {
    title = app.settings.title
    iconTag = app.settings.iconTag
  }

  /// The address of an app's icon, below the root of the site.
  static let iconPath: PathPattern = "apps/{app}/icon.png"
}

extension PageSource {
  /// The identities that a page needs: of its app or, without one, of all apps that the client may read.
  func identities(for app: String?) throws -> [String: AppTitleAndIcon] {
    guard let app else { return .init(try apps()) }
    return .init(try self.app(app).map { [$0] } ?? [])
  }

  /// An app's icon; nil if there is no such app or it has no icon.
  public func iconContent(of app: String) throws -> PageContent? {
    guard let app = try self.app(app), let bytes = try icon(of: app) else { return nil }
    return PageContent(type: "image/png") { bytes }
  }
}

extension [String: AppTitleAndIcon] {
  /// The identities of apps by bundle identifier.
  init(_ apps: some Sequence<App>) {
    self.init(apps.map { ($0.bundleID, AppTitleAndIcon($0)) }, uniquingKeysWith: { first, _ in first })
  }
}
