import Statistics
import Storage
import Telemetry

extension Measure {
  /// The measure of a metric of the catalogue; derived metrics are computed from the rows of sessions and users. Nil if
  /// there are no such rows.
  static func named(_ name: String, in series: [Series]) -> (measure: Measure, source: Source)? {
    switch name {
    case "sessions.crash_free": sessions(series)
    case "users.crash_free_daily": userDays(series)
    case "users.crash_free": users(series)
    default: plain(name, series)
    }
  }

  /// The names of the stored metrics that a metric of the catalogue is computed from.
  static func storedNames(of name: String) -> [String] {
    switch name {
    // The users show who crashed on several days.
    case "sessions.crash_free", "users.crash_free_daily": ["sessions", "users"]
    // If users are not counted, the sessions show that something was received.
    case "users.crash_free": ["users", "sessions"]
    // The distribution of hangs shows whether any are in the last bucket.
    case "hang.rate": ["hang.rate", "hang.duration"]
    default: [name]
    }
  }

  /// The sessions by outcome over all days of the series; nil without sessions.
  static func tally(_ series: [Series]) -> (tally: SessionTally, source: Source)? {
    guard let found = series.first(where: { $0.metric == .known(Catalogue.sessions) && $0.label.isEmpty }) else {
      return nil
    }
    var sum = SessionTally()
    for case .sessions(let part) in found.parts { sum = sum.merged(with: part) }
    return sum.total > 0 ? (sum, found.source) : nil
  }

  /// The distinct users over all days of the series; nil without users.
  static func union(_ series: [Series]) -> (all: UserUnion, crashed: UserUnion, source: Source)? {
    guard let found = series.first(where: { $0.metric == .known(Catalogue.users) }) else { return nil }
    let (all, crashed) = found.memo.union {
      var (all, crashed) = (UserUnion(), UserUnion())
      for case .users(let part) in found.parts {
        all.add(part.all)
        crashed.add(part.crashed)
      }
      return (all, crashed)
    }
    return (all, crashed, found.source)
  }

  private static func sessions(_ series: [Series]) -> (measure: Measure, source: Source)? {
    guard let (tally, source) = tally(series) else { return nil }
    let crashed = Double(tally[.crashed])
    let total = Double(tally.total)
    let effect = DesignEffect.forRatio(k: crashed, n: total, moments: tally.userDays)
    let share = ShareMeasure(
      bad: crashed, n: total, effect: effect, isComplement: true, returning: returning(series))
    return (.share(share), source)
  }

  private static func userDays(_ series: [Series]) -> (measure: Measure, source: Source)? {
    guard let (tally, source) = tally(series), tally.knownUserDays > 0 else { return nil }
    let days = distinctUserDays(series)
    let n = Double(days.known)
    let share = ShareMeasure(
      bad: Double(days.crashed), n: n, effect: eachForItself(n), isComplement: true,
      returning: returning(series))
    return (.share(share), source)
  }

  /// The number of user-days and of those with a crash, with each user counted once a day. Adding the rows of two
  /// builds or device classes would count a user of both twice. If a day's users are estimated, or not counted, the
  /// rows' own counts are used.
  private static func distinctUserDays(_ series: [Series]) -> (known: Int64, crashed: Int64) {
    guard let sessions = series.first(where: { $0.metric == .known(Catalogue.sessions) && $0.label.isEmpty }) else {
      return (0, 0)
    }
    let users = series.first { $0.metric == .known(Catalogue.users) && $0.source == sessions.source }
    return sessions.allDays.reduce((0, 0)) { sum, day in
      guard case .sessions(let tally) = sessions[day] else { return sum }
      var counted = (known: tally.knownUserDays, crashed: tally.crashedUserDays)
      if case .users(let found) = users?[day], found.all.isExact {
        counted = (
          min(counted.known, Int64(found.all.estimate)), min(counted.crashed, Int64(found.crashed.estimate))
        )
      }
      return (sum.0.addingSaturated(counted.known), sum.1.addingSaturated(counted.crashed))
    }
  }

  /// Users who crashed on several days; nil if users are not counted, as for a combination of filters.
  private static func returning(_ series: [Series]) -> ReturningUsers? {
    guard let (all, crashed, _) = union(series) else { return nil }
    return ReturningUsers(
      users: all.estimate, crashedUsers: crashed.estimate, crashedUserDays: Int(distinctUserDays(series).crashed))
  }

  private static func users(_ series: [Series]) -> (measure: Measure, source: Source)? {
    guard let count = userCount(series), count.all > 0 else { return nil }
    let n = Double(count.all)
    let share = ShareMeasure(
      bad: Double(count.crashed), n: n, effect: eachForItself(n), isComplement: true, countError: count.error)
    return (.share(share), count.source)
  }

  /// The distinct users of the window, and those who saw a crash. Estimates are capped at the number of user-days,
  /// which is exact. `error`: the relative standard error of the numbers. Nil without users.
  static func userCount(_ series: [Series]) -> (all: Int, crashed: Int, error: Double, source: Source)? {
    guard let (all, crashed, source) = union(series) else { return nil }
    let days = all.isExact && crashed.isExact ? (known: Int64.max, crashed: Int64.max) : distinctUserDays(series)
    let count = min(all.estimate, Int(clamping: days.known))
    return (
      count, min(crashed.estimate, Int(clamping: days.crashed), count), all.relativeError + crashed.relativeError,
      source
    )
  }

  /// The design effect of independent events, each a cluster of its own.
  private static func eachForItself(_ n: Double) -> DesignEffect {
    DesignEffect(value: 1, of: n, isClustered: n >= Double(DesignEffect.fewestClusters))
  }

  private static func plain(_ name: String, _ series: [Series]) -> (measure: Measure, source: Source)? {
    guard let found = series.first(where: { $0.metric.name == name }) else { return nil }
    guard let measure = of(found) else { return nil }
    guard name == "hang.rate", case .rate(var rate) = measure else { return (measure, found.source) }
    rate.isCensored = series.contains { hangs in
      guard hangs.metric.name == "hang.duration", case .distribution(let durations) = of(hangs) else { return false }
      return durations.reader.hasInfiniteSpan
    }
    return (.rate(rate), found.source)
  }

  /// The measure of a single series; nil for sessions and users, which are shown only as derived metrics.
  static func of(_ series: Series) -> Measure? { series.memo.measure { merged(series) } }

  private static func merged(_ series: Series) -> Measure? {
    let metric: Metric? =
      if case .known(let number) = series.metric { Catalogue.metric(number: number) } else { nil }
    switch series.firstPart {
    case .distribution:
      let days = series.distributions
      return .distribution(
        DistributionMeasure(
          days: days, weight: metric?.weight ?? .event,
          stepsPerUnit: series.metric.unit.stepsPerUnit))
    case .pair:
      var sums = PairSum()
      for case .pair(let day) in series.parts { sums.merge(day) }
      return of(pair: sums, metric: metric)
    case .counter:
      var sum = CounterSum()
      for case .counter(let day) in series.parts { sum = sum.merged(with: day) }
      return .sum(Double(sum.steps) / series.metric.unit.stepsPerUnit, payloads: Int(sum.payloads))
    case .sessions, .users, nil: return nil
    }
  }

  private static func of(pair sums: PairSum, metric: Metric?) -> Measure {
    guard metric?.kind == .ratio else {
      return .rate(RateMeasure(sums: sums, factor: RateMeasure.factor(for: metric?.unit ?? .ratio)))
    }
    let effect = DesignEffect.forRatio(k: Double(sums.x), n: Double(sums.y), moments: sums)
    var share = ShareMeasure(bad: Double(sums.x), n: Double(sums.y), effect: effect, isComplement: false)
    share.sums = sums
    return .share(share)
  }
}
