public import Core
import Storage

/// The JSON of `plumb report` and of the API; both return the same bytes.
extension HealthReport: APIObject {
  public static let fields = Fields<Self>(
    "Report", "The data of an app's page; the same bytes as `plumb report --format json`."
  ) {
    head
    Field("judgement", \.judgement, "The verdicts that pages show; `budgets` has the verdicts on the whole slice.")
    Field("sessions", \.sessions)
    Field("users", \.users)
    Field("metrics", \.metrics)
    Field("exits", \.exits)
    Field("budgets", \.budgets)
    Field("releases", \.releases)
    Field("burn", \.burn)
  }

  /// The first fields of a report and of each of its lists.
  static var head: [Field<Self>] {
    [
      .version(schema), .app(\.app), Field("window", \.window), Field("slice", \.slice),
      .digestedThrough(\.digestedThrough), .staleDays(\.staleDays),
    ]
  }

}

extension BudgetResult: APIObject {
  public static let fields = Fields<Self>("Budget", "The result of one budget on one slice.") {
    Field("budget", \.budget, "The budget as written.")
    Field("metric", \.metric)
    Field("unit", \.unit)
    Field("verdict", \.verdict)
    Field(
      "reason", \.reason,
      "Why there is not enough data: too few events, too close to the budget, buckets too wide, a plain count, "
        + "no matching data, or no goal of Apple's.")
    Field("needed", \.needed, "About how many more events a verdict needs.")
    Field("value", \.value)
    Field("low", \.low, "The lower end of the two-sided 95 % interval; `high` is the upper end.")
    Field("high", \.high)
    Field("n", \.n)
    Field("target", \.target, "The limit; null while Apple's goal is unknown.")
    Field("warn_target", \.warnTarget)
    Field(
      "apple_goal", \.goalDay,
      "The day on which the target, which is Apple's goal, was imported; null for other budgets.")
    Field("basis", \.basis)
    Field("bound", \.bound, "The one-sided bound at `confidence` that decided the verdict.")
    Field("confidence", \.confidence)
    Field("slice", \.slice)
    Field("window", \.window)
  }
}

extension SessionReport: APIObject {
  public static let fields = Fields<Self>("Sessions", "Sessions by outcome; the five outcomes add up to the total.") {
    Field("total", \.total)
    SessionOutcome.allCases.map { outcome in Field(outcome.name) { $0.counts[outcome] ?? 0 } }
    Field("crash_free", \.crashFree)
    Field("hang_free", \.hangFree)
  }
}

extension UserReport: APIObject {
  public static let fields = Fields<Self>(
    "Users", "Distinct users; null if clients send no users or if two filters are combined."
  ) {
    Field("total", \.total)
    Field("crashed", \.crashed)
    Field("crash_free", \.crashFree)
    Field("crash_free_daily", \.crashFreeDaily)
  }
}

extension MetricReport: APIObject {
  public static let fields = Fields<Self>(
    "Metric", "A metric. Distributions have percentiles and no `value`; other kinds have a `value` and no percentiles."
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
    Field("error", \.error, "The relative error of percentiles due to the source's buckets.")
    Field("estimated", \.isEstimated, "Whether sum, minimum and maximum are estimated from buckets.")
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
  public static let fields = Fields<Self>("Exits", "Why the operating system ended the app.") {
    Field("foreground", { counts($0.foreground) }, about)
    Field("background", { counts($0.background) }, about)
  }

  private static let about = "Exits by reason; null if no payload has exit counts."

  /// The counts of all reasons; 0 for a reason that was never counted.
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
      "share_of_release", \.shareOfRelease, "The build's share of its version's sessions (or payloads), from 0 to 1."
    )
    Field("adoption", \.adoption, "The share of the last day's sessions (or payloads), from 0 to 1.")
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
    "The remaining error budget of crash-free sessions, and its burn rates, by time of arrival."
  ) {
    Field("target", \.target, "The limit of the budget on crash-free sessions.")
    Field("budget_left", \.budgetLeft, "The remaining share of the 28-day error budget; below 0 if overspent.")
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
