import Budgets
public import Health
package import Storage
package import Telemetry

/// The page of one release, a version or a version and build, over its lifetime.
public enum ReleasePage: AppPageDefinition {
  /// The release, and the groups behind its crashes if it had any.
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

  /// The pages of the release's groups, which a long list of groups may have left out.
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

extension HealthReader {
  /// Reads the model of a release's page; nil if nothing of it was received in the environment. A version means all its
  /// builds.
  package func releasePage(
    _ app: App, release name: String, _ query: ReportQuery = .init(), now: Timestamp
  ) throws -> ReleaseModel? {
    let scope = try scope(of: app, ReportQuery(environment: query.environment), now: now)
    let known = scope.inventory.releases.filter { $0.environment == scope.slice.environment && $0.release != .mixed }
    let own = known.filter { $0.release.isCalled(name) }
    guard let first = own.map(\.firstDay).min() else { return nil }
    // Rows by release are kept 400 days.
    let window = Window(from: max(first, scope.window.to - 399), to: max(first, scope.window.to))
    let life = scope.with(
      window: window, slice: Slice(environment: scope.slice.environment, release: name))
    let builds = try releases(life).filter { $0.release.isCalled(name) }
    let whole = Self.whole(name, builds, first)
    let results = try lifeResults(of: whole, scope.with(window: window))
    let series = try series(life, metrics: budgetedMetrics)
    let previous = Self.previous(of: name, own, among: known)
    let (comparison, note) = try compared(app, name, previous, query.environment, now)
    return ReleaseModel(
      app: scope.bundleID, name: name, window: window, environment: scope.slice.environment,
      environmentNote: scope.environmentNote, previous: previous,
      decision: ReleaseDecision(release: whole, previous: previous, results: results), builds: builds,
      vitals: results.map { vital($0, life, series) }, adoption: try adoption(of: name, life),
      comparison: comparison, comparisonNote: note, digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  /// The report of a release that combines all its builds.
  private static func whole(_ name: String, _ builds: [ReleaseReport], _ first: CalendarDay) -> ReleaseReport {
    guard builds.count != 1, let newest = builds.first else {
      return builds.first
        ?? ReleaseReport(
          release: Release(title: name), sessions: 0, payloads: 0, adoption: nil, firstSeen: first, lastSeen: first,
          crashFree: .init())
    }
    let shares = builds.compactMap(\.adoption)
    var whole = newest
    whole.release = Release(version: name)
    whole.sessions = builds.reduce(0) { $0.addingSaturated($1.sessions) }
    whole.payloads = builds.reduce(0) { $0.addingSaturated($1.payloads) }
    whole.adoption = shares.isEmpty ? nil : shares.reduce(0, +)
    whole.adoptionDevices = nil
    whole.shareOfRelease = nil
    whole.firstSeen = first
    return whole
  }

  /// The previous release: a version before a version, a build before a build.
  private static func previous(of name: String, _ own: [KnownRelease], among known: [KnownRelease]) -> String? {
    guard let release = own.first?.release else { return nil }
    if name == release.versionTitle {
      return Set(known.map(\.release).filter(\.isNamed).map(\.version)).filter { VersionOrder.precedes($0, name) }
        .max { VersionOrder.precedes($0, $1) }
    }
    return known.map(\.release).filter { $0.isNamed && VersionOrder.precedes($0, release) }
      .max { VersionOrder.precedes($0, $1) }?.title
  }

  private func compared(
    _ app: App, _ head: String, _ base: String?, _ environment: String?, _ now: Timestamp
  ) throws -> (ReleaseComparison?, String?) {
    guard let base else { return (nil, "It is the first release that is known: there is nothing to compare with.") }
    do {
      return (try compare(app, base: base, head: head, ReportQuery(environment: environment), now: now), nil)
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
