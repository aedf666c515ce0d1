import HTTP
import Health
import Storage
import Telemetry

/// The parameters of a comparison: `base`, `head`, and those that narrow both.
struct ComparisonRequest {
  let base: String
  let head: String
  private let query: ReportQuery

  init(_ request: RequestSnapshot) throws(InvalidQuery) {
    base = try Self.release("base", request)
    head = try Self.release("head", request)
    query = try ReportQuery(parameter: request.query)
  }

  /// Throws `ImpossibleComparison`.
  func found(of app: App, _ health: HealthReader, at now: Timestamp) throws -> ReleaseComparison {
    try health.compare(app, base: base, head: head, query, now: now)
  }

  func comparison(of app: App, _ health: HealthReader, at now: Timestamp) throws -> ReleaseComparison {
    do {
      return try found(of: app, health, at: now)
    } catch let error as ImpossibleComparison {
      throw InvalidQuery(detail: error.description, isReadable: true)
    }
  }

  private static func release(_ name: String, _ request: RequestSnapshot) throws(InvalidQuery) -> String {
    if let release = request.query(name), !release.isEmpty { return release }
    throw InvalidQuery(detail: "\(name): expected a release such as 4.2.0, found nothing", parameter: name)
  }
}
