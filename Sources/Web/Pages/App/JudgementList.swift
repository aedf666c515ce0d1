public import Analysis
public import Core
import Storage

/// The judgement on an app as data: its advice, and each budget beside the release before.
struct JudgementList: TableConvertible {
  private let status: AppStatus
  private var judgement: Judgement { status.judgement }

  init(_ status: AppStatus) { self.status = status }

  public static let fields = Fields<Self>("AppJudgement", "What an app's page shows.") {
    AppStatus.head.map { Field($0, of: \.status) }
    Field("judgement", \.judgement)
    Field("breakages", \.judgement.broken, "Those of the judgement that are broken or warn, the worst first.")
    Field("releases", \.status.releases, "All of the window, the newest first.")
  }

  /// One row for each budget.
  public static let table = AnswerTable<Self>(
    \.judgement.budgets,
    only: Breakage.columns.dropLast() + ["value", "low", "high", "n"].map { "before.\($0)" } + ["guide"])
}

/// What is broken as data, in the form that the API had before it had judgements: the advice on the judged release, and
/// the budgets that are broken or warn.
public struct BreakageList: TableConvertible {
  private let status: AppStatus

  init(_ status: AppStatus) { self.status = status }

  public static let fields = Fields<Self>("BreakageList", "What an app's page says before its numbers.") {
    AppStatus.head.map { Field($0, of: \.status) }
    Field("decisions", { [ReleaseDecision($0.status.judgement)].compactMap { $0 } })
    Field("breakages", \.breakages)
  }

  /// One row for each breakage.
  public static let table = AnswerTable<Self>(\.breakages, only: Breakage.columns)

  private var breakages: [Breakage] { status.judgement.broken.map { Breakage(budget: $0) } }
}

extension AppStatus {
  /// What the documents about an app's status begin with.
  fileprivate static let head: [Field<Self>] = [
    .version(HealthReport.schema), .app(\.app), Field("window", \.judgement.window),
    Field("slice", \.judgement.slice), .digestedThrough(\.digestedThrough), .staleDays(\.staleDays),
  ]
}

private struct ReleaseDecision: APIObject {
  let judgement: Judgement
  let release: ReleaseReport

  /// Nil for the whole app.
  init?(_ judgement: Judgement) {
    guard let release = judgement.release else { return nil }
    (self.judgement, self.release) = (judgement, release)
  }

  static let fields = Fields<Self>("Decision", "Whether a release may go on to more people.") {
    Field("advice", \.judgement.advice)
    Field("previous", \.judgement.previous?.release.title, "The release before.")
    Field("release", \.release)
    Field("budgets", \.judgement.results)
  }
}

private struct Breakage: APIObject {
  let budget: JudgedBudget

  static let fields = Fields<Self>("Breakage", "A budget that is broken or warns.") {
    Field("title", \.budget.title)
    Field(
      "since", \.budget.since,
      "The first day of the release that brought it, else of the days in a row beyond the budget.")
    Field("result", \.budget.result)
    Field("releases", { [$0.budget.result.slice.release].compactMap { $0 } })
    Field("device_classes", \.budget.classes, "The worst first.")
    Field("guide", \.budget.guide)
  }

  /// The columns of tables of breakages and of judged budgets.
  static let columns =
    ["title", "since"]
    + ["budget", "metric", "unit", "verdict", "value", "low", "high", "n", "target", "slice.release"].map {
      "result.\($0)"
    }
    + ["guide"]
}
