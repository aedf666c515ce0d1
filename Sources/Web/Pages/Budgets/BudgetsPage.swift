public import Analysis
public import Core
import Storage

/// The page of all budgets with their verdicts on each part of the data.
public enum BudgetsPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/budgets"
  public static let navigationTitle: String? = "Budgets"
  public static let filters = FilterPart.slice
  public static let judgesByDefault = true
  public static let endpoints = [
    endpoint(
      .init(
        "listBudgetSlices", "Budgets by release, device class and OS version",
        "The verdicts of all budgets on the app and on each release, device class and OS version, with error budgets. "
          + "CSV has one row per verdict."), at: "apps/{app}/budgets/slices"),
    endpoint(
      .init(
        "listBudgets", "Budgets and their verdicts", "The results of `plumb check`. CSV has one row per verdict.")
    ) { question in
      BudgetList(
        app: question.app.bundleID,
        results: try question.health.check(question.app, question.unlabelled, now: question.now),
        incidents: try question.request.source.openIncidents(of: question.app))
    },
  ]

  public static func load(_ question: AppQuestion) throws -> BudgetsModel? {
    try question.health.budgetPage(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: BudgetsModel, _ context: PageContext) -> [UInt8] {
    BudgetsView.render(model, context)
  }

}

extension Page {
  static func budgets(app: String) -> Page { Page(BudgetsPage.self, [app]) }
}

extension HealthReader {
  /// Reads the model of the budgets page.
  func budgetPage(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> BudgetsModel {
    let scope = try scope(of: app, query, now: now)
    let judgement = try judgement(scope, query, releases: try releases(scope))
    let judged = scope.with(window: judgement.window, slice: judgement.slice)
    let names = Set(budgets.flatMap { Self.storedNames(of: $0.metric) } + ["sessions"]).sorted()
    let series = try series(judged, metrics: names)
    let naming = judgement.release == nil ? [] : budgets.filter(\.isPerRelease)
    let others = try with(budgets: naming).results(scope, series: [])
    var rows =
      judgement.budgets.map { row($0.result, $0.before, judged, series) }
      + others.map { row($0, nil, judged, series) }
    // One dimension at a time: with hundreds of releases, the series of each take tens of megabytes.
    for dimension in Self.judgedDimensions where dimension == .release || !judged.slice.names(dimension) {
      // Every release is listed, whichever is judged.
      let own = dimension == .release ? scope.with(slice: scope.slice.of(release: nil)) : judged
      let members = try membersIfKept(own, metrics: names, dimension)
      for index in rows.indices {
        guard let budget = plainBudget(of: rows[index].result, judged) else { continue }
        rows[index].slices += verdicts(budget, members, dimension, own)
      }
    }
    return BudgetsModel(
      app: scope.bundleID, window: judgement.window, slice: judgement.slice, environmentNote: scope.environmentNote,
      judgement: judgement, rows: rows,
      burn: try burn(scope, series: series), digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  /// The dimensions that budgets are evaluated for. Single device models usually have too little data; device classes
  /// have enough.
  private static let judgedDimensions = [Dimension.release, .deviceClass, .os]

  private func row(
    _ result: BudgetResult, _ before: BudgetResult?, _ scope: Scope, _ series: [Series]
  ) -> BudgetRow {
    let title = Catalogue.metric(named: result.metric)?.title ?? result.metric
    guard let budget = plainBudget(of: result, scope) else {
      return BudgetRow(title: title, result: result, before: before)
    }
    return BudgetRow(
      title: title, result: result, before: before, errorBudgetLeft: Self.errorBudgetLeft(budget, series))
  }

  /// The budget of a result, to evaluate on each part of the data; nil if the budget names a window, device, label or
  /// release and is therefore already limited to one part.
  private func plainBudget(of result: BudgetResult, _ scope: Scope) -> Budget? {
    budgets.first { $0.text == result.budget }.flatMap { budget in
      let isPlain =
        !budget.isNarrow && !budget.isPerRelease && result.window == scope.window
        && result.slice.environment == scope.slice.environment
      return isPlain ? budget : nil
    }
  }
}

/// The model of the budgets page: the verdicts on each budget for the app and its parts, and the error budget left.
public struct BudgetsModel: Sendable {
  public var app: String
  var window: Window
  var slice: Slice
  var environmentNote: String?
  /// The judgement that the app's page shows; its budgets are the first of `rows`.
  var judgement: Judgement
  /// The budgets: those of the budget file in its order, then the defaults in the catalogue's order.
  public var rows: [BudgetRow]
  /// The burn rates of the error budget of crash-free sessions.
  var burn: BurnReport = .init()
  var digestedThrough: Int64 = 0
  var asOf: Timestamp
}

/// One budget with its verdicts.
public struct BudgetRow: Sendable, Equatable {
  /// The metric's title: `Launch to first draw`.
  var title: String
  var result: BudgetResult
  /// The result on the previous release; nil if there is none.
  var before: BudgetResult?
  /// The share of allowed bad events that is left: 1 is all, 0 none, below 0 overspent. Nil without data, and for
  /// budgets on means, sums and rates, which do not limit a number of bad events.
  var errorBudgetLeft: Double?
  /// The verdicts on the budget for each release, device class and OS version, worst first within each dimension.
  var slices: [SliceVerdict] = []
}

extension BudgetsModel: TableConvertible {
  public static let fields = Fields<Self>("BudgetDetail", "The data shown on the budgets page.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field.digestedThrough(\.digestedThrough)
    Field("burn", \.burn)
    Field("budgets", \.rows)
  }

  /// One row per budget and part of the data; the row for the whole comes first.
  public static let table = AnswerTable<Self>(
    { budgets in
      budgets.rows.flatMap { [SliceVerdict(dimension: "", key: "", result: $0.result)] + $0.slices }
    }, without: ["result.bound", "result.slice", "result.window"])
}

extension BudgetRow: APIObject {
  public static let fields = Fields<Self>("BudgetRow") {
    Field("title", \.title)
    Field(
      "error_budget_left", \.errorBudgetLeft,
      "The share of allowed bad events that is left: 1 if none occurred, below 0 if overspent; null for a budget on a "
        + "mean, sum or rate.")
    Field("result", \.result)
    Field("before", \.before, "The same budget on the previous release.")
    Field("slices", \.slices)
  }
}
