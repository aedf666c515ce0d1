public import Analysis
public import Core
import Storage

/// The page of one release, a version or a version and build, over its lifetime.
public enum ReleasePage: AppPageDefinition {
  /// The release, and the groups behind its crashes if it had any.
  public typealias Model = (release: ReleaseModel, impact: TopCrashGroups?)

  public static let path: PathPattern = "apps/{app}/releases/{release}"
  public static let filters: [FilterPart] = [.environment]
  public static let endpoints = [
    endpoint(
      .init(
        "getRelease", "One release",
        "The data shown on a release's page: rollout advice, changes and adoption. CSV has the adoption on each day."),
      read: release),
    endpoint(
      .init(
        "getImpact", "The crash groups of a release",
        "The largest groups of a release's crashes, each with the crash-free rate the release would have without it. "
          + "404 if the release had no crashes."),
      at: "apps/{app}/releases/{release}/impact", filters: FilterPart.window + [.environment], isJudged: false
    ) { question in
      let groups = try question.groups()
      return try groups.impact(question.app, release: question.name, question.query, now: question.now)
        .map { CrashImpactAnswer(app: question.app.bundleID, impact: $0) }
    },
  ]

  public static func load(_ question: AppQuestion) throws -> Model? {
    try release(question).map { release in
      // Over the same days as the verdicts, so that both have one crash-free rate.
      var query = question.environmentOnly
      (query.from, query.to) = (release.window.from, release.window.to)
      let groups = try question.groups()
      return (release, try groups.impact(question.app, release: question.name, query, now: question.now))
    }
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    ReleaseView.render(model.release, impact: model.impact, context)
  }

  public static func data(_ model: Model) -> (any APIObject)? { model.release }

  /// The pages of the release's metrics and groups; a long list of groups may omit some.
  public static func linkedPages(_ model: Model, _ request: PageRequest) -> [Page] {
    let (app, release) = (model.release.app, model.release)
    let metrics = (release.comparison?.metrics.map(\.name) ?? []) + release.judgement.results.map(\.metric)
    let rollout: [Page] = release.previous == nil ? [] : [.rollout(app: app, release: release.name)]
    return metrics.map { .metric(app: app, name: $0) }
      + (model.impact?.parts.map { .group(app: app, id: $0.group.id) } ?? []) + rollout
  }

  @Sendable private static func release(_ question: AppQuestion) throws -> ReleaseModel? {
    try question.health.releasePage(
      question.app, release: question.name, question.unlabelled, now: question.now)
  }
}

extension Page {
  static func release(app: String, name: String) -> Page { Page(ReleasePage.self, [app, name]) }
}

extension HealthReader {
  /// Reads the model of a release's page; nil if nothing of it was received in the environment. A version means all its
  /// builds.
  func releasePage(
    _ app: App, release name: String, _ query: ReportQuery = .init(), now: Timestamp
  ) throws -> ReleaseModel? {
    let query = ReportQuery(environment: query.environment, release: name)
    let scope = try scope(of: app, query, now: now)
    guard let first = scope.knownReleases.filter({ $0.release.isCalled(name) }).map(\.firstDay).min() else {
      return nil
    }
    // Rows by release are kept for 400 days.
    let window = Window(from: max(first, scope.window.to - 399), to: max(first, scope.window.to))
    let life = scope.with(window: window, slice: scope.slice.of(release: name))
    let releases = try releases(life)
    let judgement = try judgement(scope, query, releases: releases)
    let (comparison, note) = try compared(app, name, judgement.previous?.release.title, query.environment, now)
    return ReleaseModel(
      app: scope.bundleID, name: name, window: window, environment: scope.slice.environment,
      environmentNote: scope.environmentNote, judgement: judgement,
      builds: releases.filter { $0.release.isCalled(name) }, adoption: try adoption(of: name, life),
      comparison: comparison, comparisonNote: note, values: try attributeValues(life),
      digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  private func compared(
    _ app: App, _ head: String, _ base: String?, _ environment: String?, _ now: Timestamp
  ) throws -> (ReleaseComparison?, String?) {
    guard let base else { return (nil, "This is the first known release, so there is nothing to compare it with.") }
    do {
      return (
        try compare(app, base: base, head: head, ReportQuery(environment: environment), findsCauses: true, now: now),
        nil
      )
    } catch let error as ImpossibleComparison {
      return (nil, "\(error)")
    }
  }

  private func adoption(of name: String, _ scope: Scope) throws -> [TrendPoint] {
    var slice = scope.slice
    slice.release = nil
    let rows = try rows(scope.with(slice: slice), metrics: ["sessions", "payloads"], dimension: .release)
    let sessions = rows.filter { if case .sessions = $0.aggregate { true } else { false } }
    let used = sessions.isEmpty ? rows : sessions
    var own: [CalendarDay: Double] = [:]
    var all: [CalendarDay: Double] = [:]
    for row in used {
      let count = Double(Self.use(row.aggregate))
      all[row.bin.day, default: 0] += count
      if row.member == name || row.member.hasPrefix(name + " (") { own[row.bin.day, default: 0] += count }
    }
    return scope.steps.map { step in
      let total = step.allDays.reduce(0) { $0 + (all[$1] ?? 0) }
      guard total > 0 else { return TrendPoint(step, estimate: .unknown, n: 0) }
      let count = step.allDays.reduce(0) { $0 + (own[$1] ?? 0) }
      return TrendPoint(step, estimate: Estimate(value: count / total), n: Int(min(count, 9e18)))
    }
  }

  private static func use(_ aggregate: Aggregate) -> Int64 {
    switch aggregate {
    case .sessions(let tally): tally.total
    case .counter(let counter): counter.payloads
    case .distribution, .pair, .users: 0
    }
  }
}

/// The model of a release's page: lifetime, verdicts, and changes since the previous release.
public struct ReleaseModel: Sendable {
  public var app: String
  /// The requested name: `4.2.0` for all its builds, or `4.2.0 (1234)`.
  var name: String
  /// The release's lifetime, from its first day to the newest day with data.
  var window: Window
  var environment: String
  var environmentNote: String?
  /// The verdicts on the release over its lifetime, beside those on the previous release.
  var judgement: Judgement
  /// The builds, the highest first.
  var builds: [ReleaseReport]
  /// The release's share of each day's sessions, or of payloads for apps without sessions; `n` is the release's own
  /// number.
  var adoption: [TrendPoint]
  /// The comparison with the previous release; nil if there is none, or no day has data of both.
  var comparison: ReleaseComparison?
  /// Why there is no comparison.
  var comparisonNote: String?
  /// The values of attributes that a part of its use has.
  var values: [AttributeValueUse] = []
  var digestedThrough: Int64 = 0
  var asOf: Timestamp

  /// The previous release; nil for the first.
  var previous: String? { judgement.previous?.release.title }
}

extension ReleaseModel: TableConvertible {
  public static let fields = Fields<Self>("ReleaseDetail", "The data shown on a release's page.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("release", \.name)
    Field("window", \.window)
    Field("slice", { Slice(environment: $0.environment, release: $0.name) })
    Field.digestedThrough(\.digestedThrough)
    Field("advice", \.judgement.advice)
    Field("previous", \.previous, "The previous release.")
    Field("builds", \.builds)
    Field("budgets", \.judgement.results, "Results over the release's lifetime.")
    Field(
      "trends", { NamedValues($0.judgement.budgets.map { ($0.result.budget, $0.trend) }) },
      "The trend over the window, by budget.")
    Field(
      "adoption", \.adoption, "Its share of each day's sessions, or of payloads if there are no sessions.")
    Field(
      "comparison", \.comparison?.metrics,
      "The comparison with the previous release; null without one, or without a common day.")
  }

  /// The adoption, one row per day.
  public static let table = AnswerTable<Self>(\.adoption, only: ["day", "value", "n"])
}

extension HealthReader {
  /// The values of each attribute that a part of a release's use has, most use first.
  func attributeValues(_ scope: Scope) throws -> [AttributeValueUse] {
    try scope.attributes.flatMap { name in
      let uses = try uses(scope.brokenDown(by: name), by: .attribute).uses
      let all = uses.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
      // A value that all have cannot be compared with others.
      guard uses.count > 1, all > 0 else { return [AttributeValueUse]() }
      return uses.filter { $0.value > 0 && $0.key != Self.other }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostValues)
        .map { AttributeValueUse(filter: AttributeFilter(name: name, value: $0.key), share: $0.value / all) }
    }
  }

  private static let mostValues = 10
  private static let other = "(other)"
}
