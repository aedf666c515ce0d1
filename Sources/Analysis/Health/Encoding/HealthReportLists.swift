public import Core
public import Storage

/// An API response with only the metrics of a report.
public struct MetricList: TableConvertible {
  let report: HealthReport
  let figures: [AppStoreFigure]
  let notes: AppStoreAnswer

  /// Creates the response. `figures` and `notes`: what App Store Connect says of the app.
  public init(_ report: HealthReport, _ figures: [AppStoreFigure], _ notes: AppStoreAnswer) {
    self.report = report
    self.figures = figures
    self.notes = notes
  }

  public static let fields = Fields<Self>("MetricList") {
    HealthReport.head.map { Field($0, of: \.report) }
    Field("app_store_connect", \.figures)
    Field("app_store_goals", \.notes.goals)
    Field("app_store_insights", \.notes.insights)
    Field("app_store_signatures", \.notes.signatures)
    Field("metrics", \.report.metrics)
  }

  /// The table of metrics. Columns of estimates come last.
  public static let table = AnswerTable<Self>(
    \.report.metrics, only: columns.filter { !$0.contains(".") } + columns.filter { $0.contains(".") })

  private static let columns = MetricReport.fields.schema.columns
}

/// An API response with only the releases of a report.
public struct ReleaseList: TableConvertible {
  let report: HealthReport

  public init(_ report: HealthReport) { self.report = report }

  public static let fields = Fields<Self>("ReleaseList") {
    HealthReport.head.map { Field($0, of: \.report) }
    Field("releases", \.report.releases, "Highest version first.")
  }

  public static let table = AnswerTable<Self>(\.report.releases)
}

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

extension AppStoreFigure: APIObject {
  public static let fields = Fields<Self>(
    "AppStoreFigure",
    "A figure from App Store Connect, in Apple's unit: one percentile for one version on one kind of device."
  ) {
    Field("platform", \.key.platform)
    Field("category", \.key.category, "Apple's category, such as LAUNCH.")
    Field("metric", \.key.metric, "Apple's identifier, such as launchTime.")
    Field("device", \.key.device)
    Field("device_name", \.deviceName)
    Field("percentile", \.key.percentile, "p50 or p90.")
    Field("version", \.key.version)
    Field("unit", \.unit)
    Field("value", \.value)
    Field("error_margin", \.errorMargin)
    Field("goal", { $0.goal.isEmpty ? nil : $0.goal }, "Apple's rating: good, fair or poor.")
    Field("parts", \.parts, "By subsystem; empty if Apple gives no shares.")
  }
}
