public import Core
public import Statistics
public import Storage

/// The judgement on a release while it is rolled out: whether to continue, to extend the current step, or to halt.
///
/// It may be read at any time and as often as desired: it halts a release that is no worse than its base in at most 5 %
/// of rollouts, however many looks there are. `docs/statistics.md` has the method.
public struct RolloutReport: Sendable, Equatable {
  public var app: String
  /// The name of the judged release: `4.2.0` or `4.2.0 (1234)`.
  public var release: String
  /// The release that it is compared with.
  public var base: String
  public var slice: Slice
  public var environmentNote: String?
  /// The days of the rollout so far, at most `longest`.
  public var window: Window
  public var verdict: RolloutVerdict
  /// The vitals with a budget, most suspicious first.
  public var vitals: [RolloutVital]
  /// The use of the release on each day of the window.
  public var days: [RolloutDay]
  /// What the release will cost; nil without crashes of both releases, or once most users have it.
  public var forecast: RolloutCostForecast?
  var digestedThrough: Int64
  public var asOf: Timestamp

  /// The maximum number of days of a rollout. Later days tell about the release, not about its rollout.
  static let longest = 28
  /// The share of rollouts of releases that are no worse that may ever be halted.
  public static let errorRate = 0.05
  /// The shares of users that the App Store offers a phased release to, on the days since it began.
  public static let phasedRelease = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

  /// The vitals for which the release is worse.
  public var worse: [RolloutVital] { vitals.filter { $0.state == .worse } }
  /// The current share of the app's use; nil without use on the last day.
  public var share: Double? { days.last?.share }
}

/// What to do with a rollout.
public enum RolloutVerdict: String, Sendable, CaseIterable {
  /// No vital is worse, and the data exclude that one is twice as bad.
  case `continue`
  /// Too little is known to continue, or something is suspicious.
  case extend
  /// At least one vital with a budget is worse than on the base.
  case halt
}

/// The use of a release on one day.
public struct RolloutDay: Sendable, Equatable {
  public var day: CalendarDay
  /// The release's sessions on the day; its payloads for an app without sessions.
  public var use: Int
  /// Its share of the app's use, 0 to 1.
  public var share: Double
  /// The share of the release's use on the day by installations that updated on that day; nil if unknown.
  public var fresh: Double?
  public var arrived = Arrived()

  /// The parts of a day's reports that have arrived, learned from older days; nil if all have, or if unknown.
  public struct Arrived: Sendable, Equatable {
    public var sessions: Double?
    public var crashes: Double?
    public var payloads: Double?

    init(sessions: KnownShare? = nil, crashes: KnownShare? = nil, payloads: KnownShare? = nil) {
      func missing(_ known: KnownShare?) -> Double? { known.flatMap { $0.share < 0.99 ? $0.share : nil } }
      (self.sessions, self.crashes, self.payloads) = (missing(sessions), missing(crashes), missing(payloads))
    }
  }
}

/// One vital of a rollout.
public struct RolloutVital: Sendable, Equatable {
  /// The metric's name: `sessions.crash_free`.
  public var name: String
  public var title: String
  public var unit: MetricUnit
  /// The statistic of the budget, `p90`; nil for a metric that is a single number.
  public var statistic: String?
  public var budget: String
  /// The value on the base and on the release, over the compared days.
  public var baseValue: Estimate = .unknown
  public var headValue: Estimate = .unknown
  /// The value on the base with the release's mix of device classes and ages of the update; for a percentile, the share
  /// of values above `threshold`. Nil if the base's numbers at these ages are not known.
  public var sameAgeBase: Double?
  /// The number of the release's events or values.
  public var n = 0
  /// What is counted: the bad events, and values above the base's percentile for a percentile.
  public var events = 0
  /// The limit above which values are counted, for a percentile: the base's percentile before the rollout.
  public var threshold: Double?
  /// The ratio of the release's bad events to the base's, for the same use.
  public var ratio = RatioInterval()
  /// The evidence that the ratio exceeds 1.
  public var evidence = RolloutEvidence()
  /// The evidence from which this vital halts the rollout.
  public var limit = 1 / RolloutReport.errorRate
  /// The evidence at the end of each day.
  public var history: [RolloutLook] = []
  public var state = State.unknown
  /// The time until it will be known that the vital is not twice as bad; nil if it is known or cannot be told.
  public var wait: RolloutTimeToDecision?
  /// Where the vital became worse; nil unless it is worse or suspicious and this was requested.
  public var causes: CauseList?
  /// The share of the release's use for which the base's numbers at the same age of the update are known.
  public var matchedShare = 0.0
  /// How many times as much the release's users use the app as the base's did, on average over the days; 1 if they use
  /// it no more, or if it is unknown. As many times more events do not halt the rollout.
  public var useRatio = 1.0

  /// The estimated ratio up to which a vital is not worse, however certain the difference.
  public static let tolerated = 1.1
  /// The ratio that must be excluded to continue.
  public static let excluded = 2.0

  /// What is known about a vital.
  public enum State: String, Sendable, CaseIterable {
    /// Worse than the base: on the same days, and at the same age of the update.
    case worse
    /// Worse on the same days, but not when compared with the base at the same age of the update: what a base shows,
    /// too, right after its update.
    case afterUpdate = "after_update"
    /// More events than on the base, but the evidence is below the limit.
    case suspicious
    /// Not twice as bad as on the base.
    case clear
    /// Too few data.
    case unknown
  }
}

/// Evidence in e-values: 1 says nothing, 20 is exceeded in at most 5 % of rollouts of a release that is no worse.
public struct RolloutEvidence: Sendable, Equatable {
  /// On the same days and device classes.
  public var sameDays = 1.0
  /// At the same age of the update, on the base's earlier days.
  public var sameAge = 1.0

  /// The evidence that decides: both comparisons must show the difference. Days explain what only the second shows, and
  /// a recent update explains what only the first shows.
  public var value: Double { min(sameDays, sameAge) }
}

/// The evidence as it was known at the end of a day.
public struct RolloutLook: Sendable, Equatable {
  public var day: CalendarDay
  public var evidence: RolloutEvidence
}
