import Core
import Statistics
import Storage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How much the users of a release use the app on each day: the sessions of a user or, if the data name no users, the
/// foreground time of a payload of MetricKit, which is of one phone.
struct UseIntensity {
  private var classes: [String: [CalendarDay: Level]] = [:]

  /// The use of some users on some days.
  private struct Level {
    var userDays = 0.0
    var use = 0.0
    var squares = 0.0

    init() {}

    init?(_ aggregate: Aggregate) {
      let moments: RatioMoments
      switch aggregate {
      case .sessions(let tally): moments = tally.userDays
      case .pair(let pair): moments = pair
      case .distribution, .counter, .users: return nil
      }
      (userDays, use, squares) = (Double(moments.clusters), Double(moments.y), Double(moments.yy))
    }

    mutating func merge(_ other: Level) {
      userDays += other.userDays
      use += other.use
      squares += other.squares
    }
  }

  /// The metrics that are read.
  static let metrics = ["sessions", "hang.rate"]

  private init(_ series: [Series]) {
    for series in series {
      series.forEachDay { day, aggregate in
        if let level = Level(aggregate) { classes[series.member, default: [:]][day, default: Level()].merge(level) }
      }
    }
  }

  /// How many times as much the users of the head use the app as those of the base, on each of the head's days; at
  /// least 1. Days without an entry are not known.
  ///
  /// The base's days are those on which an equal share of the use was by users who had just updated, because such a day
  /// has only a part of their use. Differences that chance explains are left out.
  ///
  /// - Parameter fresh: the share of each day's use by users who had just updated.
  static func excess(
    head: ReleaseSeriesPair.Side, base: ReleaseSeriesPair.Side,
    fresh: (head: FreshInstallShares, base: FreshInstallShares)
  ) -> [CalendarDay: Double] {
    guard let (head, base) = pair(head, base) else { return [:] }
    var whole: [String: Level] = [:]
    var stages: [Int: [String: Level]] = [:]
    for (name, days) in base.classes {
      for (day, level) in days {
        whole[name, default: Level()].merge(level)
        if let stage = fresh.base.stage(of: day) { stages[stage, default: [:]][name, default: Level()].merge(level) }
      }
    }
    let variation = variation(of: whole)
    let last = head.days.max()
    return Dictionary(
      uniqueKeysWithValues: head.days.map { day in
        let own = head.classes.compactMapValues { $0[day] }
        let alike = fresh.head.stage(of: day).flatMap { stages[$0] } ?? [:]
        var excess = Self.excess(of: own, over: userDays(alike) >= fewest ? alike : whole, variation)
        // The newest day may have only begun, for both releases.
        if day == last {
          excess = max(excess, Self.excess(of: own, over: base.classes.compactMapValues { $0[day] }, variation))
        }
        return (day, excess)
      })
  }

  /// The user-days of the base from which its use is known.
  private static let fewest = 100.0

  private var days: Set<CalendarDay> { Set(classes.values.flatMap(\.keys)) }

  private static func userDays(_ levels: [String: Level]) -> Double { levels.values.reduce(0) { $0 + $1.userDays } }

  /// The use relative to that of as many users of the other, with the same mix of device classes, less one standard
  /// error.
  private static func excess(of own: [String: Level], over other: [String: Level], _ variation: Double) -> Double {
    var (use, expected, mine, theirs) = (0.0, 0.0, 0.0, 0.0)
    for (name, level) in own.sorted(by: { $0.key < $1.key }) {
      guard let known = other[name], known.use > 0, known.userDays > 0, level.userDays > 0 else { continue }
      use += level.use
      expected += level.userDays * known.use / known.userDays
      mine += level.userDays
      theirs += known.userDays
    }
    guard expected > 0 else { return 1 }
    return max(1, use / expected * exp(-(variation * (1 / mine + 1 / theirs)).squareRoot()))
  }

  /// The squared coefficient of variation of the use of a user-day.
  private static func variation(of classes: [String: Level]) -> Double {
    var all = Level()
    for level in classes.sorted(by: { $0.key < $1.key }).map(\.value) { all.merge(level) }
    return all.use > 0 ? max(0, all.userDays * all.squares / (all.use * all.use) - 1) : 0
  }

  /// The use of both releases from the same source; nil if it is not known of both.
  private static func pair(
    _ head: ReleaseSeriesPair.Side, _ base: ReleaseSeriesPair.Side
  ) -> (head: UseIntensity, base: UseIntensity)? {
    func own(_ side: ReleaseSeriesPair.Side, _ name: String, _ source: Source) -> UseIntensity {
      UseIntensity((side.classes[name] ?? []).filter { $0.source == source })
    }
    let named = (base.whole["sessions"] ?? []).filter { namesUsers($0) }
    for mine in named.sorted(by: { $0.outweighs($1) }) {
      guard let theirs = head.whole["sessions"]?.first(where: { $0.source == mine.source }), namesUsers(theirs) else {
        continue
      }
      return (own(head, "sessions", mine.source), own(base, "sessions", mine.source))
    }
    let phones = (head: own(head, "hang.rate", .metricKit), base: own(base, "hang.rate", .metricKit))
    return phones.head.classes.isEmpty || phones.base.classes.isEmpty ? nil : phones
  }

  /// Whether most sessions name their users. A session without one counts as a user-day of its own.
  private static func namesUsers(_ series: Series) -> Bool {
    var (known, all) = (0.0, 0.0)
    series.forEachDay { _, aggregate in
      guard case .sessions(let tally) = aggregate else { return }
      known += Double(tally.knownUserDays)
      all += Double(tally.userDays.clusters)
    }
    return all > 0 && known >= mostlyNamed * all
  }

  private static let mostlyNamed = 0.8
}
