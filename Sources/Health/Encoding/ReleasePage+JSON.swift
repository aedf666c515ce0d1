import JSON
import Storage
import Telemetry

extension ReleaseModel: TableConvertible {
  /// The JSON of the API: what the release's page shows. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("release", .string(name)),
      ("window", window.json), ("slice", Slice(environment: environment, release: name).json),
      ("digested_through", .integer(digestedThrough)), ("advice", .string(decision.advice.rawValue)),
      ("previous", .optional(previous)), ("builds", .array(builds.map(\.json))),
      ("budgets", .array(vitals.map(\.result.json))),
      ("trends", .object(vitals.map { ($0.result.budget, .array($0.trend.map(\.json))) })),
      ("adoption", .array(adoption.map(\.json))),
      ("comparison", comparison.map { .array($0.metrics.map(\.json)) } ?? .null),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// The adoption, a row a day.
  public var table: CSVTable { CSVTable(columns: ["day", "value", "n"], rows: adoption.map(\.json)) }
}
