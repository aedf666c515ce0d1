public import Health
import Storage
import Telemetry

/// One release over its life: a version, or version and build.
public enum ReleasePage: AppPageDefinition {
  /// The release, and the groups of its crashes, if it had any.
  public typealias Model = (release: ReleaseModel, impact: GroupImpact?)

  public static let path: PathPattern = "apps/{app}/releases/{release}"
  public static let filters: [FilterPart] = [.environment]
  public static let endpoints = [
    endpoint { try release($0).map { .table($0) } },
    endpoint(
      "apps/{app}/releases/{release}/impact", filters: FilterPart.window + [.environment], hasTable: false,
      isJudged: false
    ) { question in
      let groups = try question.groups()
      return try groups.impact(question.app, release: question.name, question.query, now: question.now).map { impact in
        .json { impact.json(app: question.app.bundleID) }
      }
    },
  ]

  public static func load(_ question: AppQuestion) throws -> Model? {
    try release(question).map { release in
      let groups = try question.groups()
      return (
        release,
        try groups.impact(question.app, release: question.name, question.environmentOnly, now: question.now)
      )
    }
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    ReleaseView.render(model.release, impact: model.impact, context)
  }

  public static func data(_ model: Model) -> PageData? { .table(model.release) }

  /// A long list of groups may have left out those of the release.
  public static func linkedPages(_ model: Model, _ request: PageRequest) -> [Page] {
    let (app, release) = (model.release.app, model.release)
    let metrics = (release.comparison?.metrics.map(\.name) ?? []) + release.vitals.map(\.result.metric)
    return metrics.map { .metric(app: app, name: $0) }
      + (model.impact?.parts.map { .group(app: app, id: $0.group.id) } ?? [])
  }

  private static func release(_ question: AppQuestion) throws -> ReleaseModel? {
    try question.health.releasePage(
      question.app, release: question.name, question.unlabelled, now: question.now)
  }
}

extension Page {
  public static func release(app: String, name: String) -> Page { Page(ReleasePage.self, [app, name]) }
}
