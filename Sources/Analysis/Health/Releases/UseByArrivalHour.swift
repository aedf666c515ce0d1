import Core
import Storage

/// The use of a release in the last three days, by the hours in which its sessions arrived.
///
/// A client can fake the time of a session, but not the time of its arrival. Any number of sessions at once count as
/// one hour of use.
struct UseByArrivalHour: Sendable, Equatable {
  /// The number of hours in which the release had at least 10 % of the sessions that arrived.
  var hours: Int
  /// The number of these hours within the last 24 hours.
  var recentHours: Int
  /// Whether the release is lasting: in use in so many of the hours with arrivals that a burst of an hour or two is not
  /// enough, with a day between the first and the last.
  var isLasting: Bool

  /// Computes the use; nil if the app had no sessions on these days.
  init?(own: [Arrival], all: [Arrival], now: Timestamp) {
    guard !all.isEmpty else { return nil }
    let (own, all) = (Self.hours(own), Self.hours(all))
    let used = own.filter { hour, count in
      count > 0 && Double(count) >= ReleaseStage.adoptedShare * Double(all[hour] ?? count)
    }.keys
    let newest = ArrivalWindow.first(minutes: 0, before: now) / 60
    hours = used.count
    recentHours = used.count { $0 > newest - 24 }
    let needed = min(Self.most, max(ReleaseStage.hoursToHold, all.count / 3))
    isLasting = hours >= needed && (used.max() ?? 0) - (used.min() ?? 0) >= 24
  }

  init(hours: Int, recentHours: Int, isLasting: Bool) {
    (self.hours, self.recentHours, self.isLasting) = (hours, recentHours, isLasting)
  }

  /// The maximum number of required hours, for an app that is used around the clock.
  private static let most = 12
  /// The evaluated minutes: as long as arrivals are stored.
  static let memory = 3 * 1440

  private static func hours(_ arrivals: [Arrival]) -> [Int: Int64] {
    arrivals.reduce(into: [:]) { $0[$1.start / 60] = ($0[$1.start / 60] ?? 0).saturatingAdd($1.seen) }
  }
}

extension HealthReader {
  /// The use of releases by arrivals, by release name; empty for an app without sessions on these days.
  func arrivalUse(of releases: [String], _ scope: Scope) throws -> [String: UseByArrivalHour] {
    var query = ArrivalQuery(
      app: scope.app, environment: scope.slice.environment,
      from: ArrivalWindow.first(minutes: UseByArrivalHour.memory, before: scope.now))
    let all = releases.isEmpty ? [] : try store.arrivals(query)
    guard !all.isEmpty else { return [:] }
    return try releases.reduce(into: [:]) { found, release in
      query.release = release
      found[release] = UseByArrivalHour(own: try store.arrivals(query), all: all, now: scope.now)
    }
  }
}
