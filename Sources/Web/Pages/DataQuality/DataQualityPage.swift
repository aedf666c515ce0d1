package import Analysis
package import Core
package import Storage

/// The page about what happened to everything that an app's clients sent.
public enum DataQualityPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/data-quality"
  public static let navigationTitle: String? = "Data quality"
  public static let filters = FilterPart.window
  public static let endpoints = [
    endpoint(
      .init("getDataQuality", "What became of everything that was sent", "CSV has a row for each client."),
      isJudged: false)
  ]

  public static func load(_ question: AppQuestion) throws -> DataQuality? {
    try question.health.dataQuality(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: DataQuality, _ context: PageContext) -> [UInt8] {
    DataQualityView.render(model, context)
  }

}

extension Page {
  public static func dataQuality(app: String) -> Page { Page(DataQualityPage.self, [app]) }
}

extension HealthReader {
  /// Reads the model for a window of receipt; by default the 28 days that end today.
  package func dataQuality(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> DataQuality {
    let scope = try scope(of: app, query, now: now)
    let to = query.to ?? scope.localNow.day()
    let window = Window(from: query.from ?? to - (Scope.defaultDays - 1), to: to)
    let summary = try tallySummary(of: app, in: window)
    return DataQuality(
      app: app.bundleID, window: window, digestedThrough: scope.inventory.digestedThrough,
      lastReceived: scope.inventory.lastReceived, counts: summary.counts.mapValues { $0.map(DataQuality.Count.init) },
      clients: summary.clients.map(DataQuality.ClientCounts.init))
  }
}

extension DataQuality.Count {
  fileprivate init(_ count: TallySummary.Count) {
    self.init(reason: count.reason, count: count.count, lastDetail: count.lastDetail, lastDay: count.lastDay)
  }
}

extension DataQuality.ClientCounts {
  fileprivate init(_ client: TallySummary.Client) {
    self.init(
      client: client.client, release: client.release, accepted: client.counts[.accepted] ?? 0,
      rejected: client.counts[.rejected] ?? 0, refused: client.counts[.limited] ?? 0,
      duplicates: client.counts[.duplicate] ?? 0, late: client.counts[.late] ?? 0)
  }
}
