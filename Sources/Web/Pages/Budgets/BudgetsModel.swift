public import Analysis
public import Core
import Storage

/// The model of the budgets page: the verdict on each budget for the app and its parts, and what is left of its error
/// budget.
public struct BudgetsModel: Sendable {
  public var app: String
  var window: Window
  var slice: Slice
  var environmentNote: String?
  /// The judgement that the app's page shows; its budgets are the first of `rows`.
  var judgement: Judgement
  /// The budgets: the team's in the order of its file, then defaults in the catalogue's order.
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
  /// The result on the release before; nil if there is none.
  var before: BudgetResult?
  /// The share left of the bad events that the budget allows: 1 is all, 0 none, below 0 overspent. Nil if nothing was
  /// measured, and for budgets on means, sums and rates, which do not limit a number of bad events.
  var errorBudgetLeft: Double?
  /// The verdicts on the same budget for each release, device class and system, the worst first within each dimension.
  var slices: [SliceVerdict] = []
}

extension BudgetsModel: TableConvertible {
  public static let fields = Fields<Self>("BudgetDetail", "What the page of budgets shows.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("window", \.window)
    Field("slice", \.slice)
    Field.digestedThrough(\.digestedThrough)
    Field("burn", \.burn)
    Field("budgets", \.rows)
  }

  /// One row for each budget on each part of the data; the row for the whole comes first.
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
      "Of the bad events that the budget allows: 1 is all, below 0 overspent; null where it allows no number of them.")
    Field("result", \.result)
    Field("before", \.before, "The same budget on the release before.")
    Field("slices", \.slices)
  }
}
