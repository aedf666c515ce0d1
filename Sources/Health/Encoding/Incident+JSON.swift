package import JSON
package import Storage
import Telemetry

extension Incident {
  /// The incident as JSON. `app`: the bundle identifier; nil for incidents that concern all apps.
  package func json(app: String?) -> JSONOutput {
    .object([
      ("id", .string(id)), ("app", .optional(app)), ("rule", .string(key.rule.rawValue)),
      ("subject", .string(key.subject)), ("slice", key.slice?.json ?? .null), ("state", .string(state.rawValue)),
      ("severity", .string(severity.rawValue)), ("condition", .string(condition.rawValue)),
      ("opened", .string(opened.iso)), ("closed", .optional(closed?.iso)),
      ("closed_because", .optional(closedBecause)), ("announced", .optional(announced?.iso)),
      ("evaluated", .string(evaluated.iso)), ("recovering_since", .optional(recoveringSince?.iso)),
      ("summary", .string(evidence.summary)), ("facts", .array(evidence.facts.map(\.json))),
      ("advice", .optional(evidence.advice)),
    ])
  }
}

extension Incident.Fact {
  var json: JSONOutput { .object([("name", .string(name)), ("value", .string(value))]) }
}
