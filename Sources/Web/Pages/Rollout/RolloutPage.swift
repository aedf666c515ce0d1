public import Analysis
public import Core
import Storage

/// The page that judges a release while it is rolled out: whether to continue, to extend the current step, or to halt.
public enum RolloutPage: AppPageDefinition {
  public enum Model {
    /// `base`: the requested release to compare with; nil for the default.
    case report(RolloutReport, base: String?)
    /// There is nothing to compare the release with. `why`: the reason as a sentence; `base`: the requested release.
    /// `isRefused`: whether the request names a release that cannot be compared.
    case impossible(app: String, release: String, why: String, base: String?, isRefused: Bool, asOf: Timestamp)
  }

  public static let path: PathPattern = "apps/{app}/releases/{release}/rollout"
  public static let parent: (any PageAddress.Type)? = ReleasePage.self
  public static let filters: [FilterPart] = [.to, .environment]
  public static let endpoints = [
    endpoint(
      .init(
        "judgeRollout", "Whether a rollout may continue",
        "`verdict` is `continue`, `extend` or `halt`. It may be read at any time and as often as desired: a release that "
          + "is no worse than its base is halted in at most 5 % of rollouts. `vitals` lists the most suspicious first. "
          + "CSV has one row per vital. 409 if a release is unknown, both are the same, or no older release has data."),
      leading: [.rolloutBase], parameters: [.table]
    ) { question in
      do {
        return try report(question)
      } catch let error as ImpossibleComparison {
        throw InvalidQuery(detail: error.description, isReadable: true)
      }
    }
  ]

  public static func breadcrumb(_ page: Page) -> String { "Rollout" }

  public static func load(_ question: AppQuestion) throws -> Model? {
    let base = question.request.parameter("base")
    do {
      return .report(try report(question), base: base)
    } catch let error as ImpossibleComparison {
      var isRefused = true
      if case .noOlderRelease = error { isRefused = false }
      return .impossible(
        app: question.app.bundleID, release: question.name, why: "\(error).", base: base, isRefused: isRefused,
        asOf: question.now)
    }
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    switch model {
    case .report(let report, let base):
      return RolloutView.render(report, base: base, context)
    case .impossible(let app, let release, let why, let base, _, let asOf):
      return ImpossibleRolloutView.render(app: app, release: release, why: why, base: base, asOf: asOf, context)
    }
  }

  public static func status(_ model: Model) -> Int {
    if case .impossible(_, _, _, _, isRefused: true, _) = model { 400 } else { 200 }
  }

  public static func data(_ model: Model) -> (any APIObject)? {
    if case .report(let report, _) = model { report } else { nil }
  }

  public static func linkedPages(_ model: Model, _ request: PageRequest) -> [Page] {
    guard case .report(let report, _) = model else { return [] }
    return report.vitals.map { .metric(app: report.app, name: $0.name) }
  }

  private static func report(_ question: AppQuestion) throws -> RolloutReport {
    let base = question.request.parameter("base")
    if base == "" {
      throw InvalidQuery(detail: "base: expected a release such as 4.1.0, found no value", parameter: "base")
    }
    return try question.health.rollout(
      question.app, release: question.name, base: base, question.unlabelled, findsCauses: true, now: question.now)
  }
}

extension Page {
  /// The page of a rollout. `base`: the release to compare with; nil for the newest older one that was adopted.
  static func rollout(app: String, release: String, base: String? = nil) -> Page {
    Page(RolloutPage.self, [app, release], [("base", base)])
  }
}
