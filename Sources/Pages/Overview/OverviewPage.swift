public import Health

/// The first page: every app.
public enum OverviewPage: PageDefinition {
  public static let path: PathPattern = ""
  public static let file: PathPattern = "index"
  public static let parent: (any PageAddress.Type)? = nil
  public static let endpoints = [modelEndpoint("apps", hasTable: false)]

  public static func breadcrumb(_ page: Page) -> String { "Apps" }

  public static func load(_ request: PageRequest) throws -> OverviewModel? {
    let source = request.source
    let apps = try source.apps().map { try source.health($0).summary($0, now: source.now) }
    return OverviewModel(apps: apps, asOf: source.now)
  }

  public static func view(_ model: OverviewModel, _ context: PageContext) -> [UInt8] {
    OverviewView.render(model, context)
  }

  public static func data(_ model: OverviewModel) -> PageData? { .json(model.json) }
}

extension Page {
  public static let overview = Page(OverviewPage.self)
}
