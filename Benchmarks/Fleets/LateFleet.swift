import Analysis
public import Core
import Foundation
import Statistics
import Storage
public import TestSupport

/// Sessions of one app whose crashes become known at the next launch, hours or days later. Every time is known, so the
/// numbers of a young day can be compared with those it has in the end.
public struct LateFleet: Sendable {
  public var days = 35
  /// The mean sessions of a day, and the share of them that crash.
  public var sessions = 2_000.0
  public var crashes = 0.01
  /// The mean hours until the next launch, for most users and for those who use the app rarely.
  public var nextLaunch = 5.0
  public var rareLaunch = 40.0
  public var rareUsers = 0.3
  /// The amplitude of a weekly cycle of sessions and of the time until the next launch.
  public var season = 0.0
  /// A day whose reports all arrive 30 hours later.
  public var outage: Int?

  public init() {}

  /// All sessions of a fleet.
  public struct Played: Sendable {
    /// When each session, and its crash, became known, in hours since the fleet's first day.
    fileprivate var events: [(day: Int, known: Double, crashKnown: Double?)]

    /// What is known `hours` after the beginning of the fleet's first day.
    public func store(atHour hours: Double) -> FleetStore {
      let store = FleetStore()
      var delays: [DelayKey: Int64] = [:]
      for event in events where event.known <= hours {
        let day = FleetStore.firstDay + event.day
        let isCrashed = event.crashKnown.map { $0 <= hours } ?? false
        store.change(.init(release: "1.0", deviceClass: "iPhone 15", day: day.number)) { rows in
          rows.sessions[isCrashed ? .crashed : .healthy] += 1
          rows.sessions.userDays.add(x: isCrashed ? 1 : 0, y: 1)
        }
        func note(_ kind: DelayedEvent, _ known: Double) {
          guard let step = ReportingDelayStep(of: day, at: Self.time(known)) else { return }
          delays[DelayKey(event: kind, day: day, step: step), default: 0] += 1
        }
        note(.session, event.known)
        if isCrashed, let known = event.crashKnown { note(.crash, known) }
      }
      store.delayed = delays.map { key, count in
        DelayedCount(source: .native, event: key.event, day: key.day, step: key.step, count: count)
      }
      return store
    }

    /// The share of crashed sessions of a day when everything is known.
    public func share(on day: Int) -> Double {
      let own = events.filter { $0.day == day }
      return Double(own.count { $0.crashKnown != nil }) / Double(own.count)
    }

    /// The share of crashed sessions of a day as known at a time, without any correction; nil without sessions.
    public func plainShare(on day: Int, atHour hours: Double) -> Double? {
      let own = events.filter { $0.day == day && $0.known <= hours }
      return own.isEmpty ? nil : Double(own.count { $0.crashKnown.map { $0 <= hours } ?? false }) / Double(own.count)
    }

    public static func time(_ hours: Double) -> Timestamp {
      Timestamp(milliseconds: Int64((Double(FleetStore.firstDay.number) * 24 + hours) * 3_600_000))
    }

    private struct DelayKey: Hashable {
      var event: DelayedEvent
      var day: CalendarDay
      var step: ReportingDelayStep
    }
  }

  public func play(_ random: inout SeededRandom) -> Played {
    var events: [(day: Int, known: Double, crashKnown: Double?)] = []
    for day in 0..<days {
      let cycle = 1 + season * sin(2 * .pi * Double(day) / 7)
      let late = outage == day ? 30.0 : 0
      for _ in 0..<random.poisson(sessions * cycle) {
        // Most sessions are in the evening.
        let start = Double(day) * 24 + 24 * max(random.uniform(), random.uniform())
        let isRare = random.uniform() < rareUsers
        let wait = (isRare ? rareLaunch : nextLaunch) * cycle
        let known = start + late + (random.uniform() < 0.05 ? exponential(20, &random) : exponential(0.3, &random))
        let isCrashed = random.uniform() < crashes
        events.append((day, known, isCrashed ? max(known, start + late + exponential(wait, &random)) : nil))
      }
    }
    return Played(events: events)
  }

  private func exponential(_ mean: Double, _ random: inout SeededRandom) -> Double {
    -mean * log(max(random.uniform(), 1e-12))
  }
}

/// How often the interval of a young day contains the value that the day has in the end.
public struct LateScenario: Sendable {
  private let fleet: LateFleet

  public init(_ fleet: LateFleet) { self.fleet = fleet }

  public struct Counts: Sendable {
    public var points = 0
    /// The points whose interval contains the final value.
    public var covered = 0
    /// The sums of the final shares of crashed sessions, of those shown, and of those without a correction.
    public var final = 0.0
    public var shown = 0.0
    public var plain = 0.0
    /// The points that are drawn open.
    public var open = 0

    public init() {}
  }

  /// Looks at the last day of each fleet at each age in hours.
  public func play(_ fleets: Int, ages: [Double], seed: UInt64) throws -> [Counts] {
    try Parallel.sum(fleets, seed: seed) { random in
      let played = fleet.play(&random)
      let day = fleet.days - 1
      let final = played.share(on: day)
      return try ages.map { age in
        var counts = Counts()
        let hours = Double(day) * 24 + age
        guard let point = try point(played, day, atHour: hours), let value = point.estimate.value else { return counts }
        counts.points = 1
        counts.final = final
        counts.shown = 1 - value
        counts.plain = played.plainShare(on: day, atHour: hours) ?? 0
        counts.open = point.arrived == nil ? 0 : 1
        if let low = point.estimate.low, let high = point.estimate.high, low <= 1 - final, 1 - final <= high {
          counts.covered = 1
        }
        return counts
      }
    } adding: { sum, own in
      for (index, counts) in own.enumerated() {
        sum[index].points += counts.points
        sum[index].covered += counts.covered
        sum[index].final += counts.final
        sum[index].shown += counts.shown
        sum[index].plain += counts.plain
        sum[index].open += counts.open
      }
    } from: {
      ages.map { _ in Counts() }
    }
  }

  private func point(_ played: LateFleet.Played, _ day: Int, atHour hours: Double) throws -> TrendPoint? {
    let reader = HealthReader(store: played.store(atHour: hours), budgets: [])
    var query = ReportQuery()
    query.to = FleetStore.firstDay + day
    query.from = FleetStore.firstDay + day
    let scope = try reader.scope(of: FleetStore.app, query, now: LateFleet.Played.time(hours))
    let series = try reader.series(scope, metrics: ["sessions", "users"])
    return Trend.points(scope.steps, series, "sessions.crash_free", .value).first
  }
}
