public import Core
import Statistics
import Storage

/// The JSON of `plumb rollout` and of the API; both return the same bytes.
extension RolloutReport: TableConvertible {
  public static let fields = Fields<Self>("Rollout") {
    Field.version(HealthReport.schema)
    Field.app(\.app)
    Field("release", \.release)
    Field("base", \.base)
    Field("window", \.window, "The days of the rollout, at most 28.")
    Field("slice", \.slice)
    Field.digestedThrough(\.digestedThrough)
    Field(
      "verdict", \.verdict,
      "`halt`: a vital with a budget is worse. `extend`: too little is known, or something is suspicious. `continue`: "
        + "no vital is worse, and data exclude that one is twice as bad.")
    Field("sentence", \.sentence, "The reason for the verdict.")
    Field("vitals", \.vitals, "The vitals with a budget, most suspicious first.")
    Field("days", \.days)
    Field("forecast", \.forecast, "Null without crashes of both releases, and once most users have the release.")
  }

  public static let table = AnswerTable<Self>(\.vitals, without: ["history", "causes"])
  /// `parts`: one row per day. `causes`: one row per cause.
  public static let tables: [AnswerTableName: AnswerTable<Self>] = [
    .parts: AnswerTable(\.days), .causes: .causes { $0.vitals.map(\.causes) },
  ]
}

extension RolloutVital: APIObject {
  public static let fields = Fields<Self>("RolloutVital") {
    Field("name", \.name)
    Field("unit", \.unit)
    Field("statistic", \.statistic)
    Field("budget", \.budget)
    Field("base", \.baseValue)
    Field("head", \.headValue)
    Field(
      "base_same_age", \.sameAgeBase,
      "The base with the release's mix of device classes and ages of the update; for a percentile, the share of values "
        + "above `threshold`. Null if the base's numbers at these ages are not known.")
    Field("n", \.n, "The number of the release's values or events.")
    Field("events", \.events, "The number of bad events of the release: for a percentile, of values above `threshold`.")
    Field(
      "threshold", \.threshold,
      "For a percentile: the base's percentile before the rollout. Values are counted above that of their device class."
    )
    Field("ratio", \.ratio.value, "The ratio of the release's bad events to the base's, for the same use.")
    Field("ratio_low", \.ratio.low, "The lower end of an interval that is valid at every look; null if unknown.")
    Field("ratio_high", \.ratio.high)
    Field("evidence", \.evidence.value.capped, "The smaller of the next two e-values.")
    Field("evidence_same_days", \.evidence.sameDays.capped, "On the same days and device classes.")
    Field("evidence_same_age", \.evidence.sameAge.capped, "With the base at the same age of the update.")
    Field("limit", \.limit, "The evidence from which this vital halts the rollout.")
    Field("matched_share", \.matchedShare, "The share of the use with a counterpart of the same age on the base.")
    Field("wait", \.wait, "The days until it will be known that the vital is not twice as bad; null if it is known.")
    Field(
      "state", \.state,
      "`after_update`: worse on the same days, but no worse than the base was right after its own update.")
    Field("causes", \.causes, "Where it became worse; null unless it is worse or suspicious.")
    Field("history", \.history, "The evidence at the end of each day.")
  }
}

extension RolloutLook: APIObject {
  public static let fields = Fields<Self> {
    Field("day", \.day)
    Field("evidence_same_days", \.evidence.sameDays.capped)
    Field("evidence_same_age", \.evidence.sameAge.capped)
  }
}

extension RolloutTimeToDecision: APIObject {
  public static let fields = Fields<Self> {
    Field("days", \.likely)
    Field("low", \.low)
    Field("high", \.high)
    Field("day", \.day, "The likely day.")
    Field("adoption", \.adoption, "The release's share on that day by the plan of a phased release; null without it.")
  }
}

extension RolloutDay: APIObject {
  public static let fields = Fields<Self>("RolloutDay") {
    Field("day", \.day)
    Field("use", \.use, "The release's sessions; its payloads for an app without sessions.")
    Field("share", \.share, "Its share of the app's use.")
    Field("fresh", \.fresh, "The share of its use by installations that had just updated.")
    Field(
      "sessions_arrived", \.arrived.sessions,
      "The part of the day's sessions that has arrived, as learned from older days; null if all have, or if unknown.")
    Field("crashes_arrived", \.arrived.crashes, "The same for crashes, which are reported at the next launch.")
    Field("payloads_arrived", \.arrived.payloads, "The same for payloads.")
  }
}

extension Double {
  /// The evidence, cut at a trillion, because larger numbers mean nothing more.
  fileprivate var capped: Double { Swift.min(self, 1e12) }
}
