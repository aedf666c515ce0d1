import Core
import Statistics
import Storage

/// The two comparisons of one vital: on the same days, and at the same age of the update.
struct RolloutTest {
  private let base: RolloutCounts
  private let head: RolloutCounts
  private let strata: [AgeStratum]

  /// The use of both releases at one age of the update.
  private struct AgeStratum {
    /// The counts of the base over all its days at this age.
    let base: EventCount
    /// The counts of the head through a day. Users who use the app more may have more events for the same use, by as
    /// much as they use it more, whatever the release: the use is multiplied by that.
    let head: (CalendarDay) -> EventCount
  }

  /// The share of the head's use with a counterpart of the same age on the base.
  let matchedShare: Double
  /// The use at ages that both have.
  let matchedUse: (head: Double, base: Double)
  /// How many times as much the head's users use the app as the base's, on average.
  let useRatio: Double

  /// A vital whose age of update is known only by day.
  ///
  /// - Parameters:
  ///   - earlier: the counts of the base on all its days.
  ///   - fresh: the share of each day's use by installations that had just updated.
  ///   - excess: how many times as much the head's users use the app as the base's, by day.
  init(
    base: RolloutCounts, head: RolloutCounts, earlier: RolloutCounts,
    fresh: (base: FreshInstallShares, head: FreshInstallShares), excess: [CalendarDay: Double] = [:]
  ) {
    let strata = FreshInstallShares.stages.indices.flatMap { index in
      head.classes.map { name in
        AgeStratum(
          base: earlier.sum(name) { fresh.base.stage(of: $0) == index },
          head: { last in
            head.sum(name, weights: excess) { $0 <= last && fresh.head.stage(of: $0) == index }
          })
      }
    }
    self.init(base, head, strata, excess)
  }

  /// A vital whose age of update is known for each session or measurement. `ages`: the counts of both; those of the base
  /// include its earlier days.
  init(
    base: RolloutCounts, head: RolloutCounts, ages: (base: AgedCounts, head: AgedCounts),
    excess: [CalendarDay: Double] = [:]
  ) {
    struct Key: Hashable {
      let deviceClass: String
      let age: UpdateAge
    }
    let known = Dictionary(grouping: ages.base.rows) { Key(deviceClass: $0.deviceClass, age: $0.age) }
    let strata = Dictionary(grouping: ages.head.rows) { Key(deviceClass: $0.deviceClass, age: $0.age) }.sorted {
      ($0.key.deviceClass, $0.key.age) < ($1.key.deviceClass, $1.key.age)
    }.map { key, rows in
      var ours = known[key] ?? []
      // Only the first session after an update is unlike all later ones. Where the base's first days are not known,
      // any later sessions of the base take their place.
      if key.age != .firstSession, AgedCounts.use(ours) < AgedCounts.use(rows) / Self.fewest {
        ours = ages.base.rows.filter { $0.deviceClass == key.deviceClass && $0.age > key.age }
      }
      return AgeStratum(
        base: ages.base.sum(ours),
        head: { last in ages.head.sum(rows.lazy.filter { $0.day <= last }, weights: excess) })
    }
    self.init(base, head, strata, excess)
  }

  private init(
    _ base: RolloutCounts, _ head: RolloutCounts, _ strata: [AgeStratum], _ excess: [CalendarDay: Double]
  ) {
    (self.base, self.head, self.strata) = (base, head, strata)
    let uses = head.uses.sorted { $0.key < $1.key }.map { (use: $0.value, excess: excess[$0.key] ?? 1) }
    let whole = uses.reduce(0) { $0 + $1.use }
    useRatio = whole > 0 ? uses.reduce(0) { $0 + $1.use * $1.excess } / whole : 1
    guard let last = head.days.max() else {
      (matchedShare, matchedUse) = (0, (0, 0))
      return
    }
    let matches = strata.map { (head: $0.head(last).use, base: $0.base.use) }
    let all = matches.reduce(0) { $0 + $1.head }
    matchedUse = matches.reduce((0, 0)) { sum, own in
      own.head > 0 && own.base > 0 ? (sum.head + own.head, sum.base + own.base) : sum
    }
    matchedShare = all > 0 ? matchedUse.head / all : 0
  }

  /// The base's use at an age must be at least one part in this number of the head's.
  private static let fewest = 10.0

  /// The evidence of the comparison on the same days and device classes, as of each day. The design effect is that of all
  /// days together, because the same phones send on every day.
  var onSameDays: [(day: CalendarDay, evidence: RatioEvidence)] {
    var intervals: [CalendarDay: [(head: EventCount, base: EventCount)]] = [:]
    for name in head.classes {
      let effects = (base: base.effect(of: name), head: head.effect(of: name))
      let known = Dictionary(base.days(of: name).map { ($0.day, $0.count) }, uniquingKeysWith: { $1 })
      for own in head.days(of: name) {
        guard let other = known[own.day] else { continue }
        intervals[own.day, default: []].append((own.count.divided(by: effects.head), other.divided(by: effects.base)))
      }
    }
    var evidence = RatioEvidence()
    return head.days.map { day in
      for (head, base) in intervals[day] ?? [] { evidence.addSameInterval(head: head, base: base) }
      return (day, evidence)
    }
  }

  /// The one-sided p-value for more than `ratio` times the events of the base at the same age of the update, for a single
  /// look.
  func sameAgePValue(over ratio: Double) -> Double {
    guard let last = head.days.max() else { return 1 }
    return EventCount.pValue(
      strata.map { stratum in
        // Events at the tolerated ratio are as many as the base has in so much more use.
        var head = stratum.head(last)
        head.use *= ratio
        return (head, stratum.base)
      })
  }

  /// The last day that has not only begun: the use of both releases divided by their design effects, the base's rate and
  /// the independent events that it is known from; nil without use.
  var today: (day: CalendarDay, head: Double, base: Double, rate: Double, events: Double)? {
    let uses = head.uses
    guard let last = head.days.last, let first = head.days.suffix(2).first else { return nil }
    let day = (uses[first] ?? 0) > (uses[last] ?? 0) ? first : last
    // By device class, because the phones of the head are not those of the base.
    var (ours, theirs, events, known) = (0.0, 0.0, 0.0, 0.0)
    for name in head.classes {
      let own = head.use(of: name, on: day) / head.effect(of: name)
      let all = base.sum(name)
      ours += own
      theirs += base.use(of: name, on: day) / max(1, base.effect(of: name))
      known += all.events
      if all.use > 0 { events += own * (all.events + 0.5) / all.use }
    }
    return ours > 0 && events > 0 ? (day, ours, theirs, events / ours, known) : nil
  }

  /// The base's bad events per use with the head's mix of device classes and ages of the update; nil if the base's
  /// numbers at these ages are not known.
  var sameAgeRate: Double? {
    guard let last = head.days.max() else { return nil }
    var (events, use) = (0.0, 0.0)
    for stratum in strata where stratum.base.use > 0 {
      let own = stratum.head(last).use
      events += own * stratum.base.events / stratum.base.use
      use += own
    }
    return use > 0 ? events / use : nil
  }

  /// The comparison with the base at the same age of the update, of all days through `last`.
  func atSameAge(through last: CalendarDay) -> RatioEvidence {
    var evidence = RatioEvidence()
    for stratum in strata { evidence.addEarlierBase(head: stratum.head(last), base: stratum.base) }
    return evidence
  }
}

extension EventCount {
  fileprivate func divided(by effect: Double) -> EventCount { EventCount(events: events, use: use, effect: effect) }
}
