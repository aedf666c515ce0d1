public import Core
public import Storage

/// The results of `plumb check` for one app. The command and the API return the same JSON.
public struct BudgetList: TableConvertible {
  let app: String
  let results: [BudgetResult]
  let incidents: [Incident]

  /// Creates the response. `incidents`: the app's open incidents.
  public init(app: String, results: [BudgetResult], incidents: [Incident]) {
    self.app = app
    self.results = results
    self.incidents = incidents
  }

  public static let fields = Fields<Self>(
    "BudgetList", "The same bytes as `plumb check --app ID --format json`."
  ) {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("budgets", \.results, "The results for the app, then for its newest releases.")
    Field(
      "incidents", { list in list.incidents.map { AppIncident(app: list.app, incident: $0) } },
      "The app's open incidents.")
  }

  public static let table = AnswerTable<Self>(\.results, without: ["bound", "slice.label"])
}
