public import Health

/// What to look at before a release goes out.
public enum ChecklistPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/checklist"
  public static let navigationTitle: String? = "Checklist"
  public static let filters: [FilterPart] = [.to, .environment, .release]
  public static let endpoints = [endpoint()]

  public static func load(_ question: AppQuestion) throws -> ReleaseChecklist? {
    try question.health.checklist(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: ReleaseChecklist, _ context: PageContext) -> [UInt8] {
    ChecklistView.render(model, context)
  }

  public static func data(_ model: ReleaseChecklist) -> PageData? { .table(model) }
}

extension Page {
  public static func checklist(app: String) -> Page { Page(ChecklistPage.self, [app]) }
}
