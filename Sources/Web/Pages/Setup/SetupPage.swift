import Analysis
public import Core
public import Storage

/// The page that explains how an app sends payloads, and shows whether they arrive.
public enum SetupPage: AppPageDefinition {
  /// The app's keys are empty in a static export, because copies may be passed on.
  public typealias Model = (setup: SetupModel, app: App, keys: [IngestKey])

  public static let path: PathPattern = "apps/{app}/setup"
  public static let navigationTitle: String? = "Setup"
  public static let endpoints = [
    endpoint(.init("getSetup", "Whether payloads arrive", "What was received and understood."), isJudged: false) {
      try load($0)?.setup
    }
  ]
  public static let holdsSecrets = true

  public static func load(_ question: AppQuestion) throws -> Model? {
    let setup = try question.health.setupPage(question.app, now: question.now)
    return (setup, question.app, question.request.isExport ? [] : question.app.keys)
  }

  public static func view(_ model: Model, _ context: PageContext) -> [UInt8] {
    SetupView.render(model.setup, app: model.app, keys: model.keys, context)
  }

  public static func data(_ model: Model) -> (any APIObject)? { model.setup }

  public static func isLasting(_ model: Model) -> Bool { model.setup.hasReceived }
}

extension Page {
  static func setup(app: String) -> Page { Page(SetupPage.self, [app]) }
}

extension HealthReader {
  /// Reads the model of the setup page.
  func setupPage(_ app: App, now: Timestamp) throws -> SetupModel {
    let scope = try scope(of: app, .init(), now: now)
    let quality = try dataQuality(app, now: now)
    let metrics = try series(scope).map(\.metric).filter { !Self.internalMetrics.contains($0) }
    let titles = Set(metrics.map(\.name)).map { name in
      let metric = Catalogue.metric(named: name)
      return (order: metric.map { Int($0.number) } ?? .max, title: metric?.title ?? name)
    }.sorted { ($0.order, $0.title) < ($1.order, $1.title) }
    let releases = Set(scope.inventory.releases.map(\.release)).sorted { VersionOrder.precedes($1, $0) }
    return SetupModel(
      app: scope.bundleID, accepted: quality.accepted,
      rejected: (quality.counts[.rejected] ?? []) + (quality.counts[.limited] ?? []),
      sources: quality.counts[.accepted] ?? [], lastReceived: scope.inventory.lastReceived,
      metrics: titles.map(\.title), releases: releases.map(\.title),
      environments: scope.inventory.environments.keys.sorted(), digestedThrough: scope.inventory.digestedThrough,
      asOf: now)
  }
}
