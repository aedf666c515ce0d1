public import Health

/// Why iOS ended the app.
public enum ExitsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/exits"
  public static let navigationTitle: String? = "Exits"
  public static let filters = FilterPart.slice
  public static let endpoints = [endpoint(parameters: ["step", "table"])]

  public static func load(_ question: AppQuestion) throws -> ExitsModel? {
    try question.health.exitPage(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: ExitsModel, _ context: PageContext) -> [UInt8] {
    ExitsView.render(model, context)
  }

  public static func data(_ model: ExitsModel) -> PageData? { .table(model) }
}

extension Page {
  public static func exits(app: String) -> Page { Page(ExitsPage.self, [app]) }
}
