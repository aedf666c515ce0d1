import Analysis
import Core
import Storage

/// A request about one app.
public struct AppQuestion {
  let request: PageRequest
  let app: App
  let query: ReportQuery
  let health: HealthReader
  /// The values that filters offer; nil unless the page has a filter form.
  var choices: FilterChoices?

  /// Finds the app of the request; nil if there is none with the bundle identifier in the first argument.
  init?(_ request: PageRequest) throws {
    let query = try ReportQuery(parameter: request.parameter)
    guard let name = request.arguments.first, let app = try request.source.app(name) else { return nil }
    self.request = request
    self.app = app
    self.query = query
    health = try request.source.health(of: app)
  }

  var now: Timestamp { request.source.now }

  /// How many milliseconds causes and the judgement on a rollout may be older than a page's other numbers, because they
  /// take longer than the rest of the page.
  static let staleFor: Int64 = 60_000

  func groups() throws -> GroupReader { try request.source.groups(of: app) }

  /// The last argument: the release, metric or group of the page.
  var name: String { request.arguments.last ?? "" }

  /// The query reduced to its environment, as for the page of a release.
  var environmentOnly: ReportQuery { ReportQuery(environment: query.environment) }

  /// The query without a label, which applies to one metric only.
  var unlabelled: ReportQuery {
    var query = query
    query.label = nil
    return query
  }
}
