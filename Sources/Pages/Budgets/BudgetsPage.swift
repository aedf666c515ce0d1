public import Health
import Storage

/// Every budget with its verdict on each part of the data.
public enum BudgetsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/budgets"
  public static let navigationTitle: String? = "Budgets"
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint("apps/{app}/budgets/slices"),
    endpoint { question in
      .table(
        BudgetList(
          app: question.app.bundleID,
          results: try question.health.check(question.app, question.unlabelled, now: question.now),
          incidents: try question.request.source.openIncidents(question.app)))
    },
  ]

  public static func load(_ question: AppQuestion) throws -> BudgetsModel? {
    try question.health.budgetPage(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: BudgetsModel, _ context: PageContext) -> [UInt8] {
    BudgetsView.render(model, context)
  }

  public static func data(_ model: BudgetsModel) -> PageData? { .table(model) }
}

extension Page {
  public static func budgets(app: String) -> Page { Page(BudgetsPage.self, [app]) }
}
