public import Core
import Storage

/// The JSON of `plumb report` and of the API, the same bytes for both.
extension HealthReport: APIObject {
  public static let fields = Fields<Self>(
    "Report", "The numbers of an app's page; the same bytes as `plumb report --format json`."
  ) {
    head
    Field("judgement", \.judgement, "The verdicts that pages show; `budgets` are those on the whole slice.")
    Field("sessions", \.sessions)
    Field("users", \.users)
    Field("metrics", \.metrics)
    Field("exits", \.exits)
    Field("budgets", \.budgets)
    Field("releases", \.releases)
    Field("burn", \.burn)
  }

  /// What a report and each of its lists begin with.
  static var head: [Field<Self>] {
    [
      .version(schema), .app(\.app), Field("window", \.window), Field("slice", \.slice),
      .digestedThrough(\.digestedThrough), .staleDays(\.staleDays),
    ]
  }

}

extension Field {
  /// The number of the last payload that the answer's numbers include.
  public static func digestedThrough(_ sequence: @escaping @Sendable (Row) -> Int64) -> Field {
    Field("digested_through", sequence, schema: .integer(from: 0))
  }

  /// The number of days since the newest data.
  public static func staleDays(_ days: @escaping @Sendable (Row) -> Int?) -> Field {
    Field("stale_days", days, schema: .optional(.integer()))
  }
}

extension BudgetResult: APIObject {
  public static let fields = Fields<Self>("Budget", "What the data says about one budget on one slice.") {
    Field("budget", \.budget, "As it is written.")
    Field("metric", \.metric)
    Field("unit", \.unit)
    Field("verdict", \.verdict)
    Field(
      "reason", \.reason,
      "Why there is not enough data: too few events, too close to the budget, buckets too coarse, a plain count, or "
        + "nothing that the budget is about.")
    Field("needed", \.needed, "About how many more events until there is a verdict.")
    Field("value", \.value)
    Field("low", \.low, "Two-sided 95 %, as is `high`.")
    Field("high", \.high)
    Field("n", \.n)
    Field("target", \.target)
    Field("warn_target", \.warnTarget)
    Field("basis", \.basis)
    Field("bound", \.bound, "The one-sided bound at `confidence` that decided the verdict.")
    Field("confidence", \.confidence)
    Field("slice", \.slice)
    Field("window", \.window)
  }
}

extension SessionReport: APIObject {
  public static let fields = Fields<Self>("Sessions", "Sessions by outcome; the five outcomes sum to the total.") {
    Field("total", \.total)
    SessionOutcome.allCases.map { outcome in Field(outcome.name) { $0.counts[outcome] ?? 0 } }
    Field("crash_free", \.crashFree)
    Field("hang_free", \.hangFree)
  }
}

extension UserReport: APIObject {
  public static let fields = Fields<Self>(
    "Users", "Distinct users. Null where clients name none, or two filters meet."
  ) {
    Field("total", \.total)
    Field("crashed", \.crashed)
    Field("crash_free", \.crashFree)
    Field("crash_free_daily", \.crashFreeDaily)
  }
}

extension MetricReport: APIObject {
  public static let fields = Fields<Self>(
    "Metric", "A metric. A distribution has percentiles and no `value`; other kinds the reverse."
  ) {
    Field("name", \.name)
    Field("unit", \.unit)
    Field("kind", \.kind)
    Field("weight", \.weight)
    Field("label", \.label)
    Field("source", \.source.title)
    Field("n", \.n)
    Field("payloads", \.payloads)
    Field("n_eff", \.nEffective)
    Field("error", \.error, "The relative error of a percentile that comes from the source's buckets.")
    Field("estimated", \.isEstimated, "Sum, minimum and maximum come from buckets, not from values.")
    Field("sum", \.sum)
    Field("min", \.minimum)
    Field("max", \.maximum)
    Field("mean", \.mean)
    Field("value") { $0.kind == .distribution ? nil : $0.value }
    Field("numerator", \.numerator)
    Field("denominator", \.denominator)
    ranks.map { rank in
      Field("p\(rank)") { $0.kind == .distribution ? $0.percentiles[rank] ?? .unknown : nil }
    }
  }
}

extension ExitReport: APIObject {
  public static let fields = Fields<Self>("Exits", "Why the system ended the app.") {
    Field("foreground", { counts($0.foreground) }, about)
    Field("background", { counts($0.background) }, about)
  }

  private static let about = "Exits by reason; null where no payload said anything."

  /// 0 for a reason that was never counted.
  private static func counts(_ counts: [ExitReason: Int]?) -> NamedValues<Int>? {
    counts.map { counts in NamedValues(ExitReason.allCases.map { ($0.name, counts[$0] ?? 0) }) }
  }
}

extension ReleaseReport: APIObject {
  public static let fields = Fields<Self>("Release") {
    Field("release", \.release.versionTitle)
    Field("build", \.release.build)
    Field("sessions", \.sessions)
    Field("payloads", \.payloads)
    Field(
      "share_of_release", \.shareOfRelease, "Of the sessions, else payloads, of all builds of the version, from 0 to 1."
    )
    Field("adoption", \.adoption, "The share of the last day's sessions, from 0 to 1.")
    Field("adoption_devices", \.adoptionDevices, "The share of the last day's users, from 0 to 1.")
    Field("stage", \.stage)
    Field("first_seen", \.firstSeen)
    Field("last_seen", \.lastSeen)
    Field("crash_free", \.crashFree)
  }
}

extension BurnReport: APIObject {
  public static let fields = Fields<Self>(
    "Burn",
    "What is left of the error budget of crash-free sessions, and how fast it is used up, by arrival."
  ) {
    Field("target", \.target, "Of the budget on crash-free sessions.")
    Field("budget_left", \.budgetLeft, "Of 28 days: 1 is all, below 0 overspent.")
    Field("windows", \.windows)
  }
}

extension BurnWindow: APIObject {
  public static let fields = Fields<Self>("BurnWindow") {
    Field("long", { BurnPolicy.name(minutes: $0.policy.long) }, schema: .string.with("examples", .array(["1h"])))
    Field("short", { BurnPolicy.name(minutes: $0.policy.short) }, schema: .string.with("examples", .array(["5m"])))
    Field("factor", \.policy.factor)
    Field("long_rate", \.longRate)
    Field("short_rate", \.shortRate)
    Field("crashed", \.crashed)
    Field("users", \.users)
    Field("fires", \.fires)
  }
}
