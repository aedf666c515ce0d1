public import Health
import Storage
import Telemetry

/// The page of one app with its most important numbers.
public enum AppPage: AppPageDefinition {
  /// The app's status, and the groups behind the newest release's crashes if it had any.
  public typealias Model = (status: AppStatus, impact: GroupImpact?)

  public static let path: PathPattern = "apps/{app}"
  public static let file: PathPattern = "apps/{app}/index"
  public static let parent: (any PageAddress.Type)? = OverviewPage.self
  public static let navigationTitle: String? = "Vitals"
  public static let filters = FilterPart.slice
  public static let endpoints = [
    endpoint("apps/{app}/report", hasTable: false) { question in
      let report = try question.report()
      return .json { report.json() }
    },
    endpoint("apps/{app}/metrics") { .table(MetricList(try $0.report())) },
    endpoint("apps/{app}/releases") { .table(ReleaseList(try $0.report())) },
    endpoint("apps/{app}/breakages") { .table(BreakageList(try $0.status())) },
  ]

  public static func breadcrumb(_ page: Page) -> String { page.app ?? "" }

  public static func load(_ question: AppQuestion) throws -> Model? {
    let impact = try question.groups().newestImpact(question.app, question.unlabelled, now: question.now)
    return (try question.status(), impact)
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    AppView.render(model.status, impact: model.impact, context)
  }

  public static func data(_ model: Model) -> PageData? { .json { model.status.report.json() } }

  /// The pages of every metric with a number or a budget, and of every release ever seen.
  public static func linkedPages(_ model: Model, _ request: PageRequest) throws -> [Page] {
    guard let question = try AppQuestion(request) else { return [] }
    let (status, report) = (model.status, model.status.report)
    let shown = report.releases.map(\.release) + status.decisions.map(\.release.release)
    let known = try question.health.releasesEver(question.app, environment: report.slice.environment)
    let releases = Set((shown + known).filter { $0 != .mixed }.map(\.title))
    let metrics =
      report.metrics.map(\.name) + report.budgets.map(\.metric) + status.releaseResults.map(\.metric)
      + ["sessions.crash_free", "users.crash_free", "users.crash_free_daily"]
    return releases.union(status.breakages.flatMap(\.releases)).map { .release(app: report.app, name: $0) }
      + metrics.map { .metric(app: report.app, name: $0) }
  }
}

extension AppQuestion {
  fileprivate func report() throws -> HealthReport { try health.report(app, unlabelled, now: now) }
  fileprivate func status() throws -> AppStatus { try health.status(app, unlabelled, now: now) }
}

extension Page {
  public static func app(_ app: String) -> Page { Page(AppPage.self, [app]) }
}
