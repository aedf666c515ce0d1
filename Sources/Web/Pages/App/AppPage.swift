public import Analysis
public import Core
import Storage

/// The page of one app with its most important numbers.
public enum AppPage: AppPageDefinition {
  /// The app's status, and the largest groups of crashes of what is judged.
  public typealias Model = (status: AppStatus, crashes: GroupList)

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
        "getJudgement", "Ship or hold, and what broke",
        "The judgement on the newest release in use, beside the one before it. CSV has a row for each budget."),
      at: "apps/{app}/judgement"
    ) { JudgementList(try $0.status()) },
    endpoint(
      .init(
        "getReport", "An app's numbers",
        "An app's numbers over a window and slice, with the judgement on its newest release in use."),
      at: "apps/{app}/report"
    ) { try $0.report() },
    endpoint(
      .init(
        "listBreakages", "Ship or hold, and what broke",
        "Whether the newest releases may go on; what is broken or warns, since when, in which releases and on which "
          + "devices. CSV has a row for each breakage.", isDeprecated: true),
      at: "apps/{app}/breakages"
    ) { BreakageList(try $0.status()) },
    endpoint(
      .init(
        "listReleases", "An app's releases", "The releases of the report by themselves. CSV has a row for each."),
      at: "apps/{app}/releases"
    ) { ReleaseList(try $0.report()) },
  ]

  public static func breadcrumb(_ page: Page) -> String { page.app ?? "" }

  public static func load(_ question: AppQuestion) throws -> Model? {
    let status = try question.status()
    return (status, try question.crashes(of: status.judgement, limit: 5))
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    AppView.render(model.status, crashes: model.crashes, context)
  }

  public static func data(_ model: Model) -> (any APIObject)? { JudgementList(model.status) }

  /// The pages of every metric with a budget, and of every release ever seen.
  public static func linkedPages(_ model: Model, _ request: PageRequest) throws -> [Page] {
    guard let question = try AppQuestion(request) else { return [] }
    let (status, judgement) = (model.status, model.status.judgement)
    let shown = status.releases.map(\.release) + [judgement.release, judgement.previous].compactMap { $0?.release }
    let known = try question.health.releasesEver(question.app, environment: judgement.slice.environment)
    let releases = Set((shown + known).filter { $0 != .mixed }.map(\.title))
    return releases.map { .release(app: status.app, name: $0) }
      + judgement.results.map { .metric(app: status.app, name: $0.metric) }
      + model.crashes.groups.map { .group(app: status.app, id: $0.id) }
  }
}

extension AppQuestion {
  /// The largest groups of crashes of what a judgement is about.
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
