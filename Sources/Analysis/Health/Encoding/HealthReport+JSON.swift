package import Core
package import Storage

extension HealthReport {
  /// The JSON of `plumb report` and of the API, the same bytes for both. Unknown values are null, never 0 or missing.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(Self.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("digested_through", .integer(digestedThrough)), ("stale_days", .optional(staleDays)),
      ("judgement", judgement?.json ?? .null),
      ("sessions", sessions.json), ("users", users.json), ("metrics", .array(metrics.map(\.json))),
      ("exits", exits.json), ("budgets", .array(budgets.map(\.json))), ("releases", .array(releases.map(\.json))),
      ("burn", burn.json),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}

extension BudgetResult {
  /// The JSON of `plumb check`: an array of results as in the report, and the open incidents.
  static func json(_ results: [BudgetResult], incidents: [Incident], app: String) -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("budgets", .array(results.map(\.json))),
      ("incidents", .array(incidents.map { $0.json(app: app) })),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  package var json: JSONOutput {
    .object([
      ("budget", .string(budget)), ("metric", .string(metric)), ("unit", .string(unit.symbol)),
      ("verdict", .string(verdict.rawValue)), ("reason", .optional(reason?.rawValue)), ("needed", .optional(needed)),
      ("value", .optional(value)), ("low", .optional(low)), ("high", .optional(high)), ("n", .count(n)),
      ("target", .number(target)), ("warn_target", .optional(warnTarget)), ("basis", .string(basis.rawValue)),
      ("bound", .optional(bound)), ("confidence", .number(confidence)), ("slice", slice.json), ("window", window.json),
    ])
  }
}

extension Window {
  package var json: JSONOutput { .object([("from", .string(from.iso)), ("to", .string(to.iso))]) }
}

extension Slice {
  /// The slice as JSON. It always has the environment; other members only if the slice filters by them.
  package var json: JSONOutput {
    let parts: [(String, String?)] = [
      ("environment", environment), ("release", release), ("os", os), ("device", device),
      ("device_class", deviceClass), ("label", label), (ReportQuery.attributeName, attribute?.text),
    ]
    return .object(parts.compactMap { name, value in value.map { (name, JSONOutput.string($0)) } })
  }
}

extension RatioEstimate {
  package var json: JSONOutput {
    .object([
      ("value", .optional(estimate.value)), ("low", .optional(estimate.low)), ("high", .optional(estimate.high)),
      ("n", .count(n)), ("n_eff", .optional(nEffective)), ("basis", .string(basis.rawValue)),
    ])
  }
}

extension Estimate {
  var json: JSONOutput {
    .object([("value", .optional(value)), ("low", .optional(low)), ("high", .optional(high))])
  }
}

extension SessionReport {
  package var json: JSONOutput {
    let outcomes = SessionOutcome.allCases.map { ($0.name, JSONOutput.count(counts[$0] ?? 0)) }
    return .object(
      [("total", .count(total))] + outcomes + [("crash_free", crashFree.json), ("hang_free", hangFree.json)])
  }
}

extension UserReport {
  package var json: JSONOutput {
    .object([
      ("total", .optional(total)), ("crashed", .optional(crashed)), ("crash_free", crashFree.json),
      ("crash_free_daily", crashFreeDaily.json),
    ])
  }
}

extension MetricReport {
  package var json: JSONOutput {
    let isDistribution = kind == .distribution
    let ranks: [(String, JSONOutput)] = Self.ranks.map { rank in
      ("p\(rank)", isDistribution ? (percentiles[rank] ?? .unknown).json : .null)
    }
    return .object(
      [
        ("name", .string(name)), ("unit", .string(unit.symbol)), ("kind", .string(kind.rawValue)),
        ("weight", .string(weight.rawValue)), ("label", .optional(label)), ("source", .string(source.title)),
        ("n", .count(n)), ("payloads", .count(payloads)), ("n_eff", .optional(nEffective)),
        ("error", .optional(error)), ("estimated", .bool(isEstimated)), ("sum", .optional(sum)),
        ("min", .optional(minimum)), ("max", .optional(maximum)), ("mean", .optional(mean)),
        ("value", isDistribution ? .null : value.json), ("numerator", .optional(numerator)),
        ("denominator", .optional(denominator)),
      ] + ranks)
  }
}

extension ExitReport {
  var json: JSONOutput {
    .object([("foreground", Self.json(foreground)), ("background", Self.json(background))])
  }

  /// The counts by reason: null without any payload; 0 for a reason that was never counted.
  private static func json(_ counts: [ExitReason: Int]?) -> JSONOutput {
    guard let counts else { return .null }
    return .object(ExitReason.allCases.map { ($0.name, .count(counts[$0] ?? 0)) })
  }
}

extension ReleaseReport {
  package var json: JSONOutput {
    .object([
      ("release", .string(release.versionTitle)), ("build", .string(release.build)), ("sessions", .count(sessions)),
      ("payloads", .count(payloads)), ("share_of_release", .optional(shareOfRelease)),
      ("adoption", .optional(adoption)), ("adoption_devices", .optional(adoptionDevices)),
      ("stage", .optional(stage?.rawValue)), ("first_seen", .string(firstSeen.iso)),
      ("last_seen", .string(lastSeen.iso)), ("crash_free", crashFree.json),
    ])
  }
}

extension BurnReport {
  package var json: JSONOutput {
    .object([
      ("target", .optional(target)), ("budget_left", .optional(budgetLeft)),
      ("windows", .array(windows.map(\.json))),
    ])
  }
}

extension BurnWindow {
  var json: JSONOutput {
    .object([
      ("long", .string(BurnPolicy.name(minutes: policy.long))),
      ("short", .string(BurnPolicy.name(minutes: policy.short))), ("factor", .number(policy.factor)),
      ("long_rate", .optional(longRate)), ("short_rate", .optional(shortRate)), ("crashed", .optional(crashed)),
      ("users", .optional(users)), ("fires", .bool(fires)),
    ])
  }
}
