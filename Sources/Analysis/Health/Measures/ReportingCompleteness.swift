import Core
import Statistics
import Storage

/// How much of the last two weeks' events of an environment is known, by source and day. Crashes are reported at the
/// next launch, and MetricKit's payloads on the next day, so young days have fewer than they will have.
package struct ReportingCompleteness: Sendable {
  let environment: String
  /// The shares of each source about whose delays something is known.
  private(set) var bySource: [Source: SourceShares] = [:]

  /// Days before today that are learned from.
  static let learned = 28
  /// The age in days from which a day is complete.
  static let complete = 14

  /// Learns from when events became known; without counts, every day counts as complete.
  init(of environment: String, _ counts: [DelayedCount] = [], now: Timestamp = Timestamp(milliseconds: 0)) {
    self.environment = environment
    var events: [Source: [DelayedEvent: [CalendarDay: [Double]]]] = [:]
    for count in counts {
      events[count.source, default: [:]][count.event, default: [:]][count.day, default: Self.none][count.step.number] +=
        Double(count.count)
    }
    for (source, own) in events {
      let imported = (sessions: Self.imported(own[.session] ?? [:]), payloads: Self.imported(own[.payload] ?? [:]))
      var delays: [DelayedEvent: ReportingDelay] = [:]
      for (event, days) in own {
        let excluded = event == .payload ? imported.payloads : imported.sessions
        let learned = days.filter { !excluded.contains($0.key) }.sorted { $0.key < $1.key }.map { day, counts in
          ReportingDelay.Day(counts: counts, age: ReportingDelayStep.hours(from: day, to: now))
        }
        delays[event] = ReportingDelay(learned, bounds: ReportingDelayStep.bounds)
      }
      if !delays.isEmpty { bySource[source] = SourceShares(delays, now: now) }
    }
  }

  /// The days whose events were mostly sent days later, as by an import or after an outage, although this is not usual.
  private static func imported(_ days: [CalendarDay: [Double]]) -> Set<CalendarDay> {
    let early = days.mapValues { counts -> Double in
      let all = counts.reduce(0, +)
      return all > 0 ? counts.prefix(ReportingDelayStep.early).reduce(0, +) / all : 1
    }
    guard let usual = early.values.sorted().dropFirst(early.count / 2).first else { return [] }
    return Set(early.filter { $0.value < usual / 2 }.keys)
  }

  private static let none = [Double](repeating: 0, count: ReportingDelayStep.count)

  /// The known shares of the events of one source on its days.
  final class SourceShares: Sendable {
    private let shares: [DelayedEvent: [CalendarDay: KnownShare]]

    init(_ delays: [DelayedEvent: ReportingDelay], now: Timestamp) {
      let today = now.day()
      shares = delays.mapValues { delay in
        var found: [CalendarDay: KnownShare] = [:]
        for day in (today - ReportingCompleteness.complete).number...(today + 1).number {
          let day = CalendarDay(number: day)
          found[day] = delay.known(atAge: ReportingDelayStep.hours(from: day, to: now))
        }
        return found
      }
    }

    /// The share of a day's events that is known; nil if nothing is known about the delay, and for old days.
    func share(of event: DelayedEvent, on day: CalendarDay) -> KnownShare? { shares[event]?[day] }

    /// The part of a day's known sessions whose crashes, or hangs, are known, too. Rates of young days are computed from
    /// these sessions only.
    func reported(_ event: DelayedEvent, on day: CalendarDay) -> KnownShare {
      guard let bad = share(of: event, on: day), let use = share(of: .session, on: day), bad.share < use.share else {
        return .all
      }
      return KnownShare(share: bad.share / use.share, variance: bad.variance + use.variance)
    }
  }
}

extension DelayedEvent {
  /// The event that is counted for a metric.
  init(badEventOf metric: String) {
    switch metric {
    case "sessions.crash_free", "users.crash_free", "users.crash_free_daily": self = .crash
    case "sessions.hang_free": self = .hang
    default: self = .payload
    }
  }
}

extension Series {
  /// The part of the events of all days that has arrived, each day weighted by the use that it will have; nil if nothing
  /// is missing, or if that is unknown.
  func arrivedShare(of event: DelayedEvent) -> Double? {
    guard let arrived else { return nil }
    var (known, all) = (0.0, 0.0)
    forEachDay { day, aggregate in
      let use = Double(aggregate.weight)
      let whole = use / (arrived.share(of: event == .payload ? .payload : .session, on: day)?.share ?? 1)
      known += whole * (arrived.share(of: event, on: day)?.share ?? 1)
      all += whole
    }
    let share = all > 0 ? known / all : 1
    return share < Self.complete ? share : nil
  }

  /// The share from which a point counts as complete.
  private static let complete = 0.99
}
