import JSON
import Telemetry

extension SetupModel {
  /// The JSON of the API: whether payloads arrive, and what was understood of them. Keys are no part of it.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("received", .bool(hasReceived)),
      ("digested_through", .integer(digestedThrough)), ("accepted", .count(accepted)),
      ("last_received", .optional(lastReceived?.iso)), ("by_source", .array(sources.map { $0.json("source") })),
      ("rejected", .array(rejected.map { $0.json("reason") })), ("metrics", .array(metrics.map(JSONNode.string))),
      ("releases", .array(releases.map(JSONNode.string))),
      ("environments", .array(environments.map(JSONNode.string))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}
