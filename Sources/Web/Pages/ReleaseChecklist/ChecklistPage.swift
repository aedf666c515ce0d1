public import Analysis
import Core
import Storage

/// The page with the checklist for releasing a version.
public enum ChecklistPage: AppPageDefinition {
  public static let path: PathPattern = "apps/{app}/checklist"
  public static let navigationTitle: String? = "Checklist"
  public static let filters: [FilterPart] = [.to, .environment, .release]
  public static let endpoints = [
    endpoint(
      .init(
        "getChecklist", "The release checklist",
        "The verdict on each topic of the checklist, for the requested release or else the newest release with "
          + "enough use. CSV has one row per topic."))
  ]

  public static func load(_ question: AppQuestion) throws -> ReleaseChecklist? {
    try question.health.checklist(question.app, question.unlabelled, now: question.now)
  }

  public static func view(_ model: ReleaseChecklist, _ context: PageContext) -> [UInt8] {
    ChecklistView.render(model, context)
  }

}

extension Page {
  static func checklist(app: String) -> Page { Page(ChecklistPage.self, [app]) }
}

extension HealthReader {
  /// Reads the checklist of the requested release, or else of the newest one with enough use.
  func checklist(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> ReleaseChecklist {
    let asked = ReportQuery(to: query.to, environment: query.environment)
    let scope = try scope(of: app, asked, now: now)
    let releases = try releases(scope)
    let results = try results(of: query.release, scope, releases)
    let release = results.first?.slice.release
    return ReleaseChecklist(
      app: scope.bundleID, release: release, window: results.first?.window ?? scope.window,
      environment: scope.slice.environment, environmentNote: scope.environmentNote,
      items: ReleaseChecklist.Topic.allCases.map { topic in
        .init(topic: topic, results: results.filter { topic.isAbout($0.metric) })
      }, digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  private func results(
    of name: String?, _ scope: Scope, _ releases: [ReleaseReport]
  ) throws -> [BudgetResult] {
    if let name {
      return try releases.first { $0.release.isCalled(name) }
        .map { try lifeResults(of: $0, scope) } ?? []
    }
    let newest = try releaseResults(scope, releases: releases)
    guard let release = newest.first?.slice.release else {
      return try self.results(scope, series: try series(scope))
    }
    return newest.filter { $0.slice.release == release }
  }
}

/// The checklist before a release goes to all users: topics answered by the data, and others to test by hand.
public struct ReleaseChecklist: Sendable, Equatable {
  public var app: String
  /// The release that the checklist is about; nil for the app as a whole, if no release has enough use.
  var release: String?
  var window: Window
  var environment: String
  var environmentNote: String?
  var items: [Item]
  var digestedThrough: Int64 = 0
  var asOf: Timestamp

  /// One topic with the results of its budgets.
  struct Item: Sendable, Equatable {
    var topic: Topic
    /// The results of budgets on the topic's metrics; empty if the data cannot answer it.
    var results: [BudgetResult]

    /// The combined verdict of the results; nil if the data cannot answer it.
    var verdict: Verdict? { results.isEmpty ? nil : Verdict.worst(of: results.map(\.verdict)) }
  }

  /// The topics, in the order of the page.
  enum Topic: String, Sendable, CaseIterable {
    case crashes
    case launch
    case responsiveness
    case scrolling
    case memory
    case network
    case slowNetwork = "slow_network"
    case energy
    case disk
    case criticalFlows = "critical_flows"

    /// Whether a metric belongs to the topic.
    func isAbout(_ metric: String) -> Bool {
      switch self {
      case .crashes: metric.hasPrefix("sessions.") || metric.hasPrefix("users.") || metric.hasPrefix("exits.")
      case .launch: metric.hasPrefix("launch.")
      case .responsiveness:
        metric.hasPrefix("hang.") || metric == "main_thread.block" || metric == "interaction.response"
      case .scrolling:
        metric.hasPrefix("ui.") || metric.hasPrefix("swiftui.") || metric.hasPrefix("list.") || metric == "image.decode"
      case .memory: metric.hasPrefix("memory.") || metric == "image.cache_bytes"
      case .network: metric.hasPrefix("network.")
      case .slowNetwork: false
      case .energy: metric.hasPrefix("cpu.") || metric.hasPrefix("location.") || metric.hasPrefix("time.")
      case .disk: metric.hasPrefix("disk.")
      case .criticalFlows: metric == "flow.duration" || metric == "screen.load"
      }
    }
  }
}

extension ReleaseChecklist: TableConvertible {
  static let fields = Fields<Self>("Checklist", "The data shown on the release checklist.") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("release", \.release, "Null for the app as a whole.")
    Field("window", \.window)
    Field("slice", { Slice(environment: $0.environment, release: $0.release) })
    Field.digestedThrough(\.digestedThrough)
    Field("items", \.items)
  }

  /// One row per topic.
  public static let table = AnswerTable<Self>(\.items)
}

extension ReleaseChecklist.Topic: APIValue {}

extension ReleaseChecklist.Item: APIObject {
  public static let fields = Fields<Self>("ChecklistItem") {
    Field("topic", \.topic)
    Field("verdict", \.verdict, "Null if no budget on the topic has data.")
    Field("budgets", \.results)
  }
}
