package import JSON

extension BurnReport {
  package var json: JSONNode {
    .object([
      ("target", .optional(target)), ("budget_left", .optional(budgetLeft)),
      ("windows", .array(windows.map(\.json))),
    ])
  }
}

extension BurnWindow {
  package var json: JSONNode {
    .object([
      ("long", .string(BurnPolicy.name(minutes: policy.long))),
      ("short", .string(BurnPolicy.name(minutes: policy.short))), ("factor", .number(policy.factor)),
      ("long_rate", .optional(longRate)), ("short_rate", .optional(shortRate)), ("crashed", .optional(crashed)),
      ("users", .optional(users)), ("fires", .bool(fires)),
    ])
  }
}
