import Core
import Statistics
import Storage

extension Measure {
  /// The measure of a catalogue metric, and its source. Derived metrics are computed from the rows of sessions and
  /// users. Nil without such rows.
  static func named(_ name: String, in series: [Series]) -> (measure: Measure, source: Source)? {
    switch name {
    case "sessions.crash_free": sessions(series)
    case "sessions.hang_free": hangFreeSessions(series)
    case "users.crash_free_daily": userDays(series)
    case "users.crash_free": users(series)
    default: plain(name, series)
    }
  }

  /// The names of the stored metrics that a catalogue metric is computed from.
  static func storedNames(of name: String) -> [String] {
    switch name {
    // Users are needed to find who crashed on several days.
    case "sessions.crash_free", "users.crash_free_daily": ["sessions", "users"]
    case "sessions.hang_free": ["sessions"]
    // If users are not counted, sessions show that there are data.
    case "users.crash_free": ["users", "sessions"]
    // The distribution of hangs shows whether any hang is in the last bucket.
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
    found.forEachDay { _, aggregate in
      if case .sessions(let part) = aggregate { sum.merge(part) }
    }
    return sum.total > 0 ? (sum, found.source) : nil
  }

  /// The part of the sessions of all days whose bad events, such as crashes, have been reported. The other sessions say
  /// nothing yet about how many go wrong.
  private static func reported(_ series: [Series], _ event: DelayedEvent) -> KnownShare {
    guard let found = series.first(where: { $0.metric == .known(Catalogue.sessions) && $0.label.isEmpty }),
      let arrived = found.arrived
    else { return .all }
    var (all, known, error) = (0.0, 0.0, 0.0)
    found.forEachDay { day, aggregate in
      guard case .sessions(let tally) = aggregate else { return }
      let (total, part) = (Double(tally.total), arrived.reported(event, on: day))
      all += total
      known += total * part.share
      error += total * part.share * part.variance.squareRoot()
    }
    guard all > 0, known > 0 else { return .all }
    // The errors of days are added, not their squares: they come from the same older days.
    return KnownShare(share: known / all, variance: error / known * (error / known))
  }

  /// The distinct users over all days of the series; nil without users.
  static func union(_ series: [Series]) -> (all: UserUnion, crashed: UserUnion, source: Source)? {
    guard let found = series.first(where: { $0.metric == .known(Catalogue.users) }) else { return nil }
    let (all, crashed) = found.memo.union {
      var (all, crashed) = (UserUnion(), UserUnion())
      found.forEachDay { _, aggregate in
        guard case .users(let part) = aggregate else { return }
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
    let users = returning(series)
    let share = ShareMeasure(
      bad: crashed, n: total, effect: effect, isComplement: true, returning: users,
      daysPerUser: daysPerUser(users, Double(tally.userDays.clusters)), reported: reported(series, .crash))
    return (.share(share), source)
  }

  /// The share without a hang, of the sessions whose client reports hangs; nil without such sessions.
  private static func hangFreeSessions(_ series: [Series]) -> (measure: Measure, source: Source)? {
    guard let (tally, source) = tally(series), tally.hangs.y > 0 else { return nil }
    let (bad, n) = (Double(tally.hangs.x), Double(tally.hangs.y))
    let effect = DesignEffect.forRatio(k: bad, n: n, moments: tally.hangs)
    let share = ShareMeasure(
      bad: bad, n: n, effect: effect, isComplement: true, reported: reported(series, .hang))
    return (.share(share), source)
  }

  private static func userDays(_ series: [Series]) -> (measure: Measure, source: Source)? {
    guard let (tally, source) = tally(series), tally.knownUserDays > 0 else { return nil }
    let days = distinctUserDays(series)
    let n = Double(days.known)
    let users = returning(series)
    let share = ShareMeasure(
      bad: Double(days.crashed), n: n, effect: eachForItself(n), isComplement: true, returning: users,
      daysPerUser: daysPerUser(users, n), reported: reported(series, .crash))
    return (.share(share), source)
  }

  private static func daysPerUser(_ users: RepeatCrashes?, _ userDays: Double) -> Double {
    guard let users, users.users > 0 else { return 1 }
    return userDays / Double(users.users)
  }

  /// The number of user-days and of user-days with a crash; each user counts once a day. Sums of rows of two builds or
  /// device classes count a user of both twice, so the number of distinct users per day is the limit if it is exact.
  private static func distinctUserDays(_ series: [Series]) -> (known: Int64, crashed: Int64) {
    guard let sessions = series.first(where: { $0.metric == .known(Catalogue.sessions) && $0.label.isEmpty }) else {
      return (0, 0)
    }
    let users = series.first { $0.metric == .known(Catalogue.users) && $0.source == sessions.source }
    var limits: [CalendarDay: (known: Int64, crashed: Int64)] = [:]
    users?.forEachDay { day, aggregate in
      guard case .users(let found) = aggregate, found.all.isExact else { return }
      limits[day] = (Int64(found.all.estimate), Int64(found.crashed.estimate))
    }
    var sum = (known: Int64(0), crashed: Int64(0))
    sessions.forEachDay { day, aggregate in
      guard case .sessions(let tally) = aggregate else { return }
      let limit = limits[day] ?? (.max, .max)
      sum.known = sum.known.saturatingAdd(min(tally.knownUserDays, limit.known))
      sum.crashed = sum.crashed.saturatingAdd(min(tally.crashedUserDays, limit.crashed))
    }
    return sum
  }

  /// The number of users who crashed, and of the days on which they crashed; nil if users are not counted, such as for
  /// combined filters.
  private static func returning(_ series: [Series]) -> RepeatCrashes? {
    guard let (all, crashed, _) = union(series) else { return nil }
    return RepeatCrashes(
      users: all.estimate, crashedUsers: crashed.estimate, crashedUserDays: Int(distinctUserDays(series).crashed))
  }

  private static func users(_ series: [Series]) -> (measure: Measure, source: Source)? {
    guard let count = userCount(series), count.all > 0 else { return nil }
    let n = Double(count.all)
    let share = ShareMeasure(
      bad: Double(count.crashed), n: n, effect: eachForItself(n), isComplement: true, countError: count.error,
      reported: reported(series, .crash))
    return (.share(share), count.source)
  }

  /// The number of distinct users of the window, and of users with a crash. Estimates are capped at the number of
  /// user-days, which is exact. `error`: the relative standard error of the numbers. Nil without users.
  static func userCount(_ series: [Series]) -> (all: Int, crashed: Int, error: Double, source: Source)? {
    guard let (all, crashed, source) = union(series) else { return nil }
    let days = all.isExact && crashed.isExact ? (known: Int64.max, crashed: Int64.max) : distinctUserDays(series)
    let count = min(all.estimate, Int(clamping: days.known))
    return (
      count, min(crashed.estimate, Int(clamping: days.crashed), count), all.relativeError + crashed.relativeError,
      source
    )
  }

  /// The design effect of independent events, where each event is a cluster.
  private static func eachForItself(_ n: Double) -> DesignEffect {
    DesignEffect(value: 1, of: n, isClustered: n >= Double(DesignEffect.fewestClusters))
  }

  private static func plain(_ name: String, _ series: [Series]) -> (measure: Measure, source: Source)? {
    guard let found = series.first(where: { $0.metric.name == name }) else { return nil }
    guard name == "hang.rate" else { return of(found).map { ($0, found.source) } }
    let hangs = series.first {
      $0.metric.name == "hang.duration" && $0.source == found.source && $0.label == found.label
    }
    let durations: DistributionMeasure? =
      if let hangs, case .distribution(let measure) = of(hangs) { measure } else { nil }
    return found.memo.measure { .rate(RateMeasure(days: found.pairDays, unit: .secondsPerHour, durations: durations)) }
      .map { ($0, found.source) }
  }

  /// The measure of a single series; nil for sessions and users, which are shown only as derived metrics.
  static func of(_ series: Series) -> Measure? { series.memo.measure { merged(series) } }

  private static func merged(_ series: Series) -> Measure? {
    let metric: Metric? =
      if case .known(let number) = series.metric { Catalogue.metric(number: number) } else { nil }
    switch series.firstPart {
    case .distribution:
      return .distribution(
        DistributionMeasure(
          days: series.distributions, weight: metric?.weight ?? .event,
          stepsPerUnit: series.metric.unit.stepsPerUnit, partitions: series.partitions))
    case .pair:
      guard metric?.kind == .ratio else {
        return .rate(RateMeasure(days: series.pairDays, unit: metric?.unit ?? .ratio))
      }
      return .share(payloadShare(series.pairDays))
    case .counter:
      var sum = CounterSum()
      series.forEachDay { _, aggregate in
        if case .counter(let day) = aggregate { sum = sum.merged(with: day) }
      }
      return .sum(Double(sum.steps) / series.metric.unit.stepsPerUnit, payloads: Int(sum.payloads))
    case .sessions, .users, nil: return nil
    }
  }

  /// The number of a share's bad events on some days, and of all events of which it is known whether they are bad; nil
  /// without events.
  static func shareCounts(_ name: String, in series: [Series], on days: [CalendarDay]) -> (bad: Double, n: Double)? {
    let wanted = Set(days)
    let own = series.compactMap { $0.restricted(to: wanted) }
    func counts(_ bad: Int64, _ n: Int64) -> (bad: Double, n: Double)? {
      let part = reported(own, DelayedEvent(badEventOf: name))
      return n > 0 ? (Double(bad), max(Double(bad), Double(n) * part.share)) : nil
    }
    switch name {
    case "sessions.crash_free": return tally(own).flatMap { counts($0.tally[.crashed], $0.tally.total) }
    case "sessions.hang_free": return tally(own).flatMap { counts($0.tally.hangs.x, $0.tally.hangs.y) }
    case "users.crash_free_daily":
      let found = distinctUserDays(own)
      return counts(found.crashed, found.known)
    default:
      guard let pairs = own.first(where: { $0.metric.name == name })?.pairDays else { return nil }
      let (x, y) = pairs.reduce((0.0, 0.0)) { ($0.0 + Double($1.x), $0.1 + Double($1.y)) }
      return y > 0 ? (x, y) : nil
    }
  }

  /// The number of user-days with a crash on some days, and of sessions of which it is known whether they crashed; nil
  /// without sessions.
  static func crashedUserDays(in series: [Series], on days: [CalendarDay]) -> (bad: Double, n: Double)? {
    let wanted = Set(days)
    let own = series.compactMap { $0.restricted(to: wanted) }
    guard let tally = tally(own)?.tally, tally.total > 0 else { return nil }
    let crashed = Double(distinctUserDays(own).crashed)
    return (crashed, max(crashed, Double(tally.total) * reported(own, .crash).share))
  }

  /// The measure of a share that is counted by payloads, such as exits at a limit. It uses the design effect of a rate,
  /// because phones differ in the same way.
  private static func payloadShare(_ days: [RatioMoments]) -> ShareMeasure {
    var sums = RatioMoments()
    for day in days { sums.merge(day) }
    let (k, n) = (Double(sums.x), Double(sums.y))
    let good = n > 0 ? 1 - k / n : 1
    let size = RateSample.EventSize(weighted: good, assumed: 1, events: .infinity)
    let effects = RateSample(days: days, events: size)?.designEffects(of: n) ?? (.none(of: n), .none(of: n))
    var share = ShareMeasure(bad: k, n: n, effect: effects.low, isComplement: false)
    share.highEffect = effects.high
    share.sums = sums
    return share
  }
}

extension Series {
  /// The sums of pairs of each day, in order.
  var pairDays: [RatioMoments] {
    var pairs: [RatioMoments] = []
    forEachDay { _, aggregate in if case .pair(let pair) = aggregate { pairs.append(pair) } }
    return pairs
  }
}
