public import Analysis
public import Core
import Storage

/// The page of one app with its most important numbers.
public enum AppPage: AppPageDefinition {
  /// The app's status, the largest crash groups of the judged release or app, the judgement on a release that is being
  /// rolled out, and where the worst budget of the judged release became worse.
  public typealias Model = (status: AppStatus, crashes: GroupList, rollout: RolloutReport?, causes: CauseList?)

  public static let path: PathPattern = "apps/{app}"
  public static let file: PathPattern = "apps/{app}/index"
  public static let parent: (any PageAddress.Type)? = OverviewPage.self
  public static let navigationTitle: String? = "Vitals"
  public static let filters = FilterPart.slice
  public static let wall: (any PageDefinition.Type)? = AppWallPage.self
  public static let judgesByDefault = true
  public static let endpoints = [
    endpoint(
      .init(
        "getJudgement", "Rollout advice, and what broke",
        "The judgement on the newest release in use, with the previous release's results. CSV has one row per budget."),
      at: "apps/{app}/judgement"
    ) { question in
      let status = try question.status()
      return JudgementList(status, causes: try question.causes(in: status))
    },
    endpoint(
      .init(
        "getReport", "An app's numbers",
        "An app's numbers over a window and slice, with the judgement on its newest release in use."),
      at: "apps/{app}/report"
    ) { try $0.report() },
    endpoint(
      .init(
        "listBreakages", "Rollout advice, and what broke",
        "Whether to continue the rollout of the newest release, and each budget that is broken or at warning level "
          + "with its first day, release and device classes. CSV has one row per breakage.", isDeprecated: true),
      at: "apps/{app}/breakages"
    ) { BreakageList(try $0.status()) },
    endpoint(
      .init(
        "listReleases", "An app's releases", "The `releases` of the report. CSV has one row per release."),
      at: "apps/{app}/releases"
    ) { ReleaseList(try $0.report()) },
  ]

  public static func breadcrumb(_ page: Page) -> String { page.app ?? "" }

  public static func load(_ question: AppQuestion) throws -> Model? {
    let status = try question.status()
    return (
      status, try question.crashes(of: status.judgement, limit: 5), try question.rollout(in: status),
      try question.causes(in: status)
    )
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    AppView.render(model.status, crashes: model.crashes, rollout: model.rollout, causes: model.causes, context)
  }

  public static func data(_ model: Model) -> (any APIObject)? { JudgementList(model.status, causes: model.causes) }

  /// The pages of every metric with a budget, of every release ever seen, and of the newest rollout.
  public static func linkedPages(_ model: Model, _ request: PageRequest) throws -> [Page] {
    guard let question = try AppQuestion(request) else { return [] }
    let (status, judgement) = (model.status, model.status.judgement)
    let shown = status.releases.map(\.release) + [judgement.release, judgement.previous].compactMap { $0?.release }
    let known = try question.health.releasesEver(question.app, environment: judgement.slice.environment)
    let releases = Set((shown + known).filter { $0 != .mixed }.map(\.title))
    let rollout = status.releaseInRollout.map { [Page.rollout(app: status.app, release: $0.title)] } ?? []
    return releases.map { .release(app: status.app, name: $0) } + rollout
      + judgement.results.map { .metric(app: status.app, name: $0.metric) }
      + model.crashes.groups.map { .group(app: status.app, id: $0.id) }
  }
}

extension AppQuestion {
  /// The judgement on the release that is being rolled out; nil without one, or for a part of the app's use.
  func rollout(in status: AppStatus) throws -> RolloutReport? {
    var slice = status.judgement.slice
    slice.release = nil
    guard let release = status.releaseInRollout, slice == Slice(environment: slice.environment) else { return nil }
    var query = unlabelled
    query.environment = slice.environment
    return try request.source.answer(
      to: ["rollout", release.title, slice.environment, query.to?.iso ?? ""], about: app, staleFor: Self.staleFor
    ) {
      do {
        return try health.rollout(app, release: release.title, base: nil, query, now: now)
      } catch is ImpossibleComparison {
        return nil
      }
    }
  }

  /// Where the worst budget of the judged release became worse than on the previous release; nil without such a budget,
  /// and for a part of the app's use.
  func causes(in status: AppStatus) throws -> CauseList? {
    let judgement = status.judgement
    var slice = judgement.slice
    slice.release = nil
    guard let release = judgement.release?.release, slice == Slice(environment: slice.environment), query.from == nil,
      query.to == nil, let worst = judgement.broken.first
    else { return nil }
    return try causes(of: worst.result.metric, in: release.title, environment: slice.environment)
  }

  /// The largest crash groups of the judged release or app.
  func crashes(of judgement: Judgement, limit: Int) throws -> GroupList {
    var query = unlabelled
    (query.from, query.to) = (judgement.window.from, judgement.window.to)
    query.environment = judgement.slice.environment
    query.release = judgement.slice.release
    return try groups().groups(app, query, kind: .crash, limit: limit, now: now)
  }

  fileprivate func report() throws -> HealthReport { try health.report(app, unlabelled, now: now) }
  fileprivate func status() throws -> AppStatus { try health.status(app, unlabelled, now: now) }
}

extension Page {
  public static func app(_ app: String) -> Page { Page(AppPage.self, [app]) }
}

/// The judgement on an app as data: the advice, and each budget beside its result on the previous release.
struct JudgementList: TableConvertible {
  private let status: AppStatus
  private let causes: CauseList?
  private var judgement: Judgement { status.judgement }

  /// `causes`: where the worst budget became worse.
  init(_ status: AppStatus, causes: CauseList? = nil) { (self.status, self.causes) = (status, causes) }

  public static let fields = Fields<Self>("AppJudgement", "The data shown on an app's page.") {
    AppStatus.head.map { Field($0, of: \.status) }
    Field("judgement", \.judgement)
    Field("breakages", \.judgement.broken, "The judged budgets that are broken or at warning level, worst first.")
    Field(
      "causes", \.causes,
      "Where the first of them became worse than on the previous release; null without a broken budget, for a part of "
        + "the app's use, and for days that the request names.")
    Field("releases", \.status.releases, "All releases in the window, newest first.")
  }

  /// One row per budget.
  public static let table = AnswerTable<Self>(
    \.judgement.budgets,
    only: Breakage.columns.dropLast() + ["value", "low", "high", "n"].map { "before.\($0)" } + ["guide"])
}

/// Broken budgets as data, in the API's older form without judgements: the advice on the judged release, and the
/// budgets that are broken or at warning level.
public struct BreakageList: TableConvertible {
  private let status: AppStatus

  init(_ status: AppStatus) { self.status = status }

  public static let fields = Fields<Self>("BreakageList", "The rollout advice, and what broke.") {
    AppStatus.head.map { Field($0, of: \.status) }
    Field("decisions", { [ReleaseDecision($0.status.judgement)].compactMap { $0 } })
    Field("breakages", \.breakages)
  }

  /// One row per breakage.
  public static let table = AnswerTable<Self>(\.breakages, only: Breakage.columns)

  private var breakages: [Breakage] { status.judgement.broken.map { Breakage(budget: $0) } }
}

extension AppStatus {
  /// The first members of documents about an app's status.
  fileprivate static let head: [Field<Self>] = [
    .version(HealthReport.schema), .app(\.app), Field("window", \.judgement.window),
    Field("slice", \.judgement.slice), .digestedThrough(\.digestedThrough), .staleDays(\.staleDays),
  ]
}

private struct ReleaseDecision: APIObject {
  let judgement: Judgement
  let release: ReleaseReport

  /// Nil if the whole app is judged.
  init?(_ judgement: Judgement) {
    guard let release = judgement.release else { return nil }
    (self.judgement, self.release) = (judgement, release)
  }

  static let fields = Fields<Self>("Decision", "Whether to continue the rollout of a release.") {
    Field("advice", \.judgement.advice)
    Field("previous", \.judgement.previous?.release.title, "The previous release.")
    Field("release", \.release)
    Field("budgets", \.judgement.results)
  }
}

private struct Breakage: APIObject {
  let budget: JudgedBudget

  static let fields = Fields<Self>("Breakage", "A budget that is broken or at warning level.") {
    Field("title", \.budget.title)
    Field(
      "since", \.budget.since,
      "The first day of the release that introduced it, or of the latest consecutive days beyond the budget.")
    Field("result", \.budget.result)
    Field("releases", { [$0.budget.result.slice.release].compactMap { $0 } })
    Field("device_classes", \.budget.classes, "Worst first.")
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
