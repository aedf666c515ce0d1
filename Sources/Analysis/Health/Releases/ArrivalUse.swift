import Core
import Storage

/// How a release was in use in the last three days, by the hours in which its sessions arrived.
///
/// A session states its own time, so that made-up ones may lie on any day. When it arrived is the server's own knowledge:
/// very many sessions at once are one hour of use, however many they are.
struct ArrivalUse: Sendable, Equatable {
  /// The hours in which the release had a tenth of the sessions that arrived, or more.
  var hours: Int
  /// Those of the last 24 hours.
  var recentHours: Int
  /// Whether the release was in use on more than a day: in so many of the hours in which sessions arrived that no burst
  /// of an hour or two does it, the first and the last a day apart.
  var isLasting: Bool

  /// Nil if the app had no sessions in these days.
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

  /// The hours after which an app that is used around the clock is believed.
  private static let most = 12
  /// The minutes that are looked at, as many as arrivals are kept for.
  static let memory = 3 * 1440

  private static func hours(_ arrivals: [Arrival]) -> [Int: Int64] {
    arrivals.reduce(into: [:]) { $0[$1.start / 60] = ($0[$1.start / 60] ?? 0).addingSaturated($1.seen) }
  }
}

extension HealthReader {
  /// The use of releases by their arrivals, by the names of the releases; empty for an app without sessions in these days.
  func arrivalUse(of releases: [String], _ scope: Scope) throws -> [String: ArrivalUse] {
    var query = ArrivalQuery(
      app: scope.app, environment: scope.slice.environment,
      from: ArrivalWindow.first(minutes: ArrivalUse.memory, before: scope.now))
    let all = releases.isEmpty ? [] : try store.arrivals(query)
    guard !all.isEmpty else { return [:] }
    return try releases.reduce(into: [:]) { found, release in
      query.release = release
      found[release] = ArrivalUse(own: try store.arrivals(query), all: all, now: scope.now)
    }
  }
}
