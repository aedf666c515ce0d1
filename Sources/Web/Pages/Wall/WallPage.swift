import Analysis
import Core
import Storage

/// All apps on one screen, for a display on a wall: `/?wall`.
public enum WallPage: PageDefinition {
  public static let path: PathPattern = "wall"
  public static let parent: (any PageAddress.Type)? = OverviewPage.self

  public static func breadcrumb(_ page: Page) -> String { "Wall" }

  public static func load(_ request: PageRequest) throws -> WallModel? {
    guard let overview = try OverviewPage.load(request) else { return nil }
    let source = request.source
    let apps = Dictionary(try source.apps().map { ($0.bundleID, $0) }, uniquingKeysWith: { first, _ in first })
    return WallModel(
      tiles: try overview.apps.map { summary in
        WallTile(summary, lastReceived: try apps[summary.id].flatMap { try source.health(of: $0).lastReceived($0) })
      }, isLight: WallModel.isLight(request), asOf: overview.asOf)
  }

  public static func view(_ model: WallModel, _ context: PageContext) -> [UInt8] {
    WallView.render(model, at: Page(WallPage.self), context)
  }
}

/// One app on a whole screen: `/apps/com.example.shop?wall`.
public enum AppWallPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/wall"

  public static func breadcrumb(_ page: Page) -> String { "Wall" }

  public static func load(_ question: AppQuestion) throws -> WallModel? {
    let source = question.request.source
    let summary = try source.answer(to: ["summary"], about: question.app) {
      try question.health.summary(question.app, now: question.now)
    }
    return WallModel(
      tiles: [WallTile(summary, lastReceived: try question.health.lastReceived(question.app))],
      isLight: WallModel.isLight(question.request), asOf: question.now)
  }

  public static func view(_ model: WallModel, _ context: PageContext) -> [UInt8] {
    WallView.render(model, at: Page(AppWallPage.self, model.tiles.map(\.app)), context)
  }
}

/// The model of a wall: a tile for each app.
public struct WallModel: Sendable {
  var tiles: [WallTile]
  var isLight: Bool
  var asOf: Timestamp

  /// Seconds after which the browser reloads the page.
  static let refresh = 30

  /// Whether the address has `?wall=light`; a wall is dark otherwise.
  static func isLight(_ request: PageRequest) -> Bool { request.parameter("wall") == "light" }
}
