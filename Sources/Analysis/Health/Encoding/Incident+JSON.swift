package import Core
package import Storage

extension Incident {
  /// The incident as JSON. `app`: the bundle identifier; nil for incidents that concern all apps. `rule`, `subject`,
  /// `slice` and the like are those of the most important breach, the first of `breaches`.
  package func json(app: String?) -> JSONOutput {
    let lead = lead
    return .object([
      ("id", .string(id)), ("app", .optional(app)), ("theme", .string(key.theme.rawValue)),
      ("release", .optional(key.release)), ("environment", .optional(key.environment)), ("title", .string(title)),
      ("rule", .optional(lead?.key.rule.rawValue)), ("subject", .optional(lead?.key.subject)),
      ("slice", lead?.key.slice?.json ?? .null), ("state", .string(state.rawValue)),
      ("severity", .string(severity.rawValue)), ("condition", .optional(lead?.condition.rawValue)),
      ("since", .string(since.iso)), ("opened", .string(opened.iso)), ("closed", .optional(closed?.iso)),
      ("closed_because", .optional(closedBecause)), ("announced", .optional(announced?.iso)),
      ("evaluated", .string(evaluated.iso)), ("recovering_since", .optional(lead?.recoveringSince?.iso)),
      ("summary", .optional(lead?.evidence.summary)),
      ("facts", .array((lead?.evidence.facts ?? []).map(\.json))), ("advice", .optional(lead?.evidence.advice)),
      ("breaches", .array(ranked.map(\.json))),
    ])
  }
}

extension Breach {
  var json: JSONOutput {
    .object([
      ("rule", .string(key.rule.rawValue)), ("subject", .string(key.subject)), ("slice", key.slice?.json ?? .null),
      ("state", .string(state.rawValue)), ("severity", .string(severity.rawValue)),
      ("condition", .string(condition.rawValue)), ("since", .string(since.iso)), ("opened", .string(opened.iso)),
      ("closed", .optional(closed?.iso)), ("closed_because", .optional(closedBecause)),
      ("announced", .optional(announced?.iso)), ("recovering_since", .optional(recoveringSince?.iso)),
      ("headline", .string(evidence.headline)), ("summary", .string(evidence.summary)),
      ("facts", .array(evidence.facts.map(\.json))), ("advice", .optional(evidence.advice)),
    ])
  }
}

extension Detail {
  var json: JSONOutput { .object([("name", .string(name)), ("value", .string(value))]) }
}
