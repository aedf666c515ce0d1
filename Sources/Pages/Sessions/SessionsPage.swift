public import Health

/// How sessions ended, and how many users crashed.
public enum SessionsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/sessions"
  public static let navigationTitle: String? = "Sessions"
  public static let filters = FilterPart.slice
  public static let endpoints = [endpoint(parameters: ["step", "table"])]

  public static func load(_ question: AppQuestion) throws -> SessionsModel? {
    try question.health.sessionPage(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: SessionsModel, _ context: PageContext) -> [UInt8] {
    SessionsView.render(model, context)
  }

  public static func data(_ model: SessionsModel) -> PageData? { .table(model) }
}

extension Page {
  public static func sessions(app: String) -> Page { Page(SessionsPage.self, [app]) }
}
