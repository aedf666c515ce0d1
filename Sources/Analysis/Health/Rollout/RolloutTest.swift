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
    /// The counts of the head through a day.
    let head: (CalendarDay) -> EventCount
  }

  /// The share of the head's use with a counterpart of the same age on the base.
  let matchedShare: Double

  /// A vital whose age of update is known only for days.
  ///
  /// - Parameters:
  ///   - earlier: the counts of the base on all its days.
  ///   - fresh: the share of each day's use by installations that had just updated.
  init(
    base: RolloutCounts, head: RolloutCounts, earlier: RolloutCounts, fresh: (base: FreshShares, head: FreshShares)
  ) {
    let (ours, theirs) = (fresh.base.byDay, fresh.head.byDay)
    func stage(_ share: Double?) -> Int? { share.flatMap { share in Self.stages.lastIndex { $0 <= share } } }
    let strata = Self.stages.indices.flatMap { index in
      head.classes.map { name in
        AgeStratum(
          base: earlier.sum(name) { stage(ours[$0]) == index },
          head: { last in head.sum(name) { $0 <= last && stage(theirs[$0]) == index } })
      }
    }
    self.init(base, head, strata)
  }

  /// A vital of sessions whose age of update is known for each session. `ages` of the base include its earlier days.
  init(
    base: RolloutCounts, head: RolloutCounts, ages: (base: [SessionsByAge], head: [SessionsByAge]),
    effects: (base: Double, head: Double)
  ) {
    struct Key: Hashable {
      let deviceClass: String
      let age: UpdateAge
    }
    func sum(_ rows: some Sequence<SessionsByAge>, _ effect: Double) -> EventCount {
      let (crashed, sessions) = rows.reduce((0, 0)) { ($0.0 + Double($1.crashed), $0.1 + Double($1.sessions)) }
      return EventCount(events: crashed, use: sessions, effect: effect)
    }
    let known = Dictionary(grouping: ages.base) { Key(deviceClass: $0.deviceClass, age: $0.age) }
    let strata = Dictionary(grouping: ages.head) { Key(deviceClass: $0.deviceClass, age: $0.age) }.sorted {
      ($0.key.deviceClass, $0.key.age) < ($1.key.deviceClass, $1.key.age)
    }.map { key, rows in
      var ours = known[key] ?? []
      // Only the first session after an update is unlike all later ones. Where the base's first days are not known,
      // any later sessions of the base take their place.
      if key.age != .firstSession, Self.use(ours) < Self.use(rows) / Self.fewest {
        ours = ages.base.filter { $0.deviceClass == key.deviceClass && $0.age > key.age }
      }
      return AgeStratum(
        base: sum(ours, effects.base), head: { last in sum(rows.lazy.filter { $0.day <= last }, effects.head) })
    }
    self.init(base, head, strata)
  }

  private init(_ base: RolloutCounts, _ head: RolloutCounts, _ strata: [AgeStratum]) {
    (self.base, self.head, self.strata) = (base, head, strata)
    guard let last = head.days.max() else {
      matchedShare = 0
      return
    }
    let uses = strata.map { ($0.head(last).use, isMatched: $0.base.use > 0) }
    let all = uses.reduce(0) { $0 + $1.0 }
    matchedShare = all > 0 ? uses.reduce(0) { $0 + ($1.isMatched ? $1.0 : 0) } / all : 0
  }

  private static func use(_ rows: [SessionsByAge]) -> Int64 { rows.reduce(0) { $0 + $1.sessions } }

  /// The base's use at an age must be at least one part in this number of the head's.
  private static let fewest: Int64 = 10
  /// The shares of a day's use by installations that just updated, from which days count as alike.
  private static let stages = [0.0, 0.1, 0.3, 0.8]

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

  /// The one-sided p-value for more events in the head than on the base at the same age of the update, for a single
  /// look.
  var sameAgePValue: Double {
    guard let last = head.days.max() else { return 1 }
    return EventCount.pValue(strata.map { ($0.head(last), $0.base) })
  }

  /// The time until the comparison on the same days excludes twice as many events, if the head is no worse and is used
  /// as on its last day, or on the day before if the last one has only begun.
  func wait(_ evidence: RatioEvidence) -> RolloutWait? {
    let (days, uses) = (head.days, head.uses)
    guard let last = days.last else { return nil }
    let before = days.dropLast().last
    let day = before.flatMap { (uses[$0] ?? 0) > (uses[last] ?? 0) ? $0 : nil } ?? last
    var events = 0.0
    for name in head.classes {
      let (own, known) = (head.sum(name) { $0 == day }, base.sum(name))
      if known.use > 0 { events += own.use * (known.events + 0.5) / known.use }
    }
    return RolloutWait(
      evidence: evidence.against(atLeast: RolloutVital.excluded), limit: 2 / RolloutReport.errorRate, events: events)
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
