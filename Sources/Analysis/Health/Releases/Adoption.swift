import Core
import Statistics
import Storage

/// The adoption of each release: its share of the last day's sessions or, for apps without sessions, of the newest
/// complete day's payloads.
struct Adoption {
  private var counts: [String: Int64] = [:]
  private var total: Int64 = 0

  /// Computes adoption from `rows`, the use by release. `end`: the end of the last day, in minutes since 1970.
  init(rows: some Sequence<UsageRow>, end: Int, window: Window, now: Timestamp) {
    count(rows) { row in
      guard row.kind == .sessions else { return false }
      return row.bin.resolution == .day
        ? row.bin.day == window.to : row.bin.start >= end - 1440 && row.bin.start < end
    }
    if total > 0 { return }
    let days = Set(rows.lazy.filter { $0.kind == .payloads }.map(\.bin.day))
    guard let day = days.filter({ $0 < now.day() }).max() ?? days.max() else { return }
    count(rows) { $0.kind == .payloads && $0.bin.day == day }
  }

  /// The adoption of a release, 0 to 1; nil if no release was used.
  func share(of member: String) -> Double? {
    total > 0 ? Double(counts[member] ?? 0) / Double(total) : nil
  }

  private mutating func count(_ rows: some Sequence<UsageRow>, where isCounted: (UsageRow) -> Bool) {
    for row in rows where isCounted(row) {
      counts[row.member] = (counts[row.member] ?? 0).addingSaturated(row.count)
      total = total.addingSaturated(row.count)
    }
  }
}

/// The share of distinct users of each release. Users are stored by day, so all days that overlap the last 24 hours
/// count.
struct DeviceAdoption {
  private var users: [String: UserUnion] = [:]
  private var total = 0

  /// - Parameter series: series by release; only series of users count.
  init(_ series: [Series], in days: Window) {
    var all = UserUnion()
    for own in series {
      own.forEachDay { day, aggregate in
        guard days.from <= day, day <= days.to, case .users(let tally) = aggregate else { return }
        users[own.member, default: UserUnion()].add(tally.all)
        all.add(tally.all)
      }
    }
    total = all.estimate
  }

  /// The days that overlap the 24 hours before `end`, in minutes since 1970.
  static func days(before end: Int) -> Window {
    Window(
      from: TimeBin(start: end - 1440, resolution: .fiveMinutes).day,
      to: TimeBin(start: end - 1, resolution: .fiveMinutes).day)
  }

  /// The share of a release, 0 to 1; nil if no users are known. A user who updated counts for both releases.
  func share(of member: String) -> Double? {
    total > 0 ? min(1, Double(users[member]?.estimate ?? 0) / Double(total)) : nil
  }
}

/// The stage of a release in its lifetime, by its adoption.
public enum ReleaseStage: String, Sendable, CaseIterable {
  /// Adoption is below 10 % and was never higher for six hours.
  case low
  /// Adoption is 10 % or more.
  case adopted
  /// Adoption fell below 10 % after the release was adopted.
  case replaced

  /// The share of sessions (of payloads for apps without sessions) from which a release counts as adopted.
  static let adoptedShare = 0.1
  /// The number of hours for which adoption must be on the other side of the limit before the stage changes.
  static let hoursToHold = 6
}

/// Tracks the stage of one release by its adoption over time.
struct StageTrack {
  private(set) var stage = ReleaseStage.low
  /// The hour since which adoption has been on the other side of the limit; nil if it is not.
  private var otherSince: Int?

  /// Adds the share of the 24 hours that end with `hour`.
  mutating func note(share: Double, hour: Int) {
    guard isOther(share) else { return otherSince = nil }
    let since = otherSince ?? hour
    otherSince = since
    if hour - since >= ReleaseStage.hoursToHold { change() }
  }

  /// Adds the share of a whole day, which changes the stage at once because it is longer than `hoursToHold`.
  mutating func note(dayShare share: Double) {
    if isOther(share) { change() }
  }

  /// Adds an hour without use, which restarts the time for a pending change.
  mutating func noteSilence() { otherSince = nil }

  private func isOther(_ share: Double) -> Bool { (share >= ReleaseStage.adoptedShare) != (stage == .adopted) }

  private mutating func change() {
    stage = stage == .adopted ? .replaced : .adopted
    otherSince = nil
  }
}

extension ReleaseReport {
  /// Fills in `shareOfRelease`: each build's share of its version's sessions, or of the payloads for a version without
  /// sessions.
  static func withShares(_ reports: [ReleaseReport]) -> [ReleaseReport] {
    var sessions: [String: Int] = [:]
    var payloads: [String: Int] = [:]
    for report in reports {
      sessions[report.release.version] = report.sessions.addingSaturated(sessions[report.release.version] ?? 0)
      payloads[report.release.version] = report.payloads.addingSaturated(payloads[report.release.version] ?? 0)
    }
    return reports.map { report in
      var report = report
      let version = report.release.version
      if let total = sessions[version], total > 0 {
        report.shareOfRelease = Double(report.sessions) / Double(total)
      } else if let total = payloads[version], total > 0 {
        report.shareOfRelease = Double(report.payloads) / Double(total)
      }
      return report
    }
  }
}

extension ReleaseReport {
  /// The name of the build in slices: `4.2.0 (1234)`, or `4.2.0` without a build number.
  var title: String { release.title }

  /// The adoption below which a release is not in use.
  static let leastUse = 0.01

  /// Whether the release has been in use for long enough to supersede another release. True if arrivals are unknown,
  /// such as for apps without sessions.
  var isLasting: Bool { arrivals?.isLasting ?? true }
}

/// The use of each release over its lifetime: by hour in the last four weeks, by day before.
///
/// The resolution depends only on the current day, not on how far rows were compacted, so compaction changes no stage.
struct UsageHistory {
  private var tracks: [String: StageTrack] = [:]

  /// The number of days before today that are evaluated by hour. Hourly rows are stored for a week longer.
  static let hourlyDays = 28

  /// Computes the use of each release from `rows`: sessions or, for apps without sessions, payloads by whole days.
  init(rows: [UsageRow], end: Int, now: Timestamp) {
    for run in rows.runs where run[run.startIndex].member != Release.mixed.title {
      tracks[run[run.startIndex].member] = StageTrack()
    }
    let sessions = rows.filter { $0.kind == .sessions && $0.count > 0 }
    if sessions.isEmpty {
      follow(days: rows.filter { $0.kind == .payloads }, before: now.day().number)
    } else {
      let firstHourly = now.day().number - Self.hourlyDays
      follow(days: sessions, before: min(firstHourly, (end + 1439) / 1440))
      follow(hours: sessions, from: firstHourly * 24, through: end / 60)
    }
  }

  /// The stage of a release; nil without use and for payloads of several releases.
  func stage(of member: String) -> ReleaseStage? { tracks[member]?.stage }

  private mutating func follow(days uses: [UsageRow], before end: Int) {
    var days: [Int: [String: Int64]] = [:]
    for use in uses where use.bin.day.number < end {
      let known = days[use.bin.day.number]?[use.member] ?? 0
      days[use.bin.day.number, default: [:]][use.member] = known.addingSaturated(use.count)
    }
    let known = days.sorted { $0.key < $1.key }.map { _, counts in
      (counts, total: counts.values.reduce(Int64(0)) { $0.addingSaturated($1) })
    }
    for member in tracks.keys {
      for (counts, total) in known where total > 0 {
        tracks[member]?.note(dayShare: Double(counts[member] ?? 0) / Double(total))
      }
    }
  }

  private mutating func follow(hours uses: [UsageRow], from first: Int, through last: Int) {
    guard last > first else { return }
    var own: [String: RollingDay] = [:]
    var all = RollingDay(from: first, through: last)
    for member in tracks.keys { own[member] = RollingDay(from: first, through: last) }
    for run in uses.runs {
      var hours = own[run[run.startIndex].member]
      for use in run {
        all.add(use.count, minute: use.bin.start)
        hours?.add(use.count, minute: use.bin.start)
      }
      own[run[run.startIndex].member] = hours
    }
    let totals = all.sums
    for (member, hours) in own {
      guard var track = tracks[member] else { continue }
      for (index, (sum, total)) in zip(hours.sums, totals).enumerated() {
        if total > 0 {
          track.note(share: Double(sum) / Double(total), hour: first + 1 + index)
        } else {
          track.noteSilence()
        }
      }
      tracks[member] = track
    }
  }
}

extension [UsageRow] {
  /// The rows in runs of one member each, which avoids a lookup by name for each of thousands of hours.
  var runs: [ArraySlice<UsageRow>] {
    var runs: [ArraySlice<UsageRow>] = []
    var start = 0
    for index in indices where index > start && self[index].member != self[start].member {
      runs.append(self[start..<index])
      start = index
    }
    return isEmpty ? [] : runs + [self[start...]]
  }
}

/// Sums of counts over the 24 hours that end with each hour.
struct RollingDay {
  private let first: Int
  private var hours: [Int64]
  /// The maximum count of one hour, so that the sum of 24 hours cannot overflow.
  private static let most: Int64 = 1 << 56

  /// Creates sums for the hours after `first`, through `last`.
  init(from first: Int, through last: Int) {
    self.first = first - 24
    hours = [Int64](repeating: 0, count: 24 + last - first)
  }

  mutating func add(_ count: Int64, minute: Int) {
    let index = minute / 60 - first
    if minute >= 0, hours.indices.contains(index) {
      hours[index] = min(Self.most, hours[index].addingSaturated(max(0, count)))
    }
  }

  /// The sum of the 24 hours before each end, earliest end first.
  var sums: [Int64] {
    var sum = hours.prefix(24).reduce(0, +)
    return hours.indices.dropFirst(24).map { index in
      sum += hours[index] - hours[index - 24]
      return sum
    }
  }
}

/// The use of a release in the last three days, by the hours in which its sessions arrived.
///
/// A client can fake the time of a session, but not the time of its arrival. Any number of sessions at once count as
/// one hour of use.
struct ArrivalUse: Sendable, Equatable {
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
    arrivals.reduce(into: [:]) { $0[$1.start / 60] = ($0[$1.start / 60] ?? 0).addingSaturated($1.seen) }
  }
}

extension HealthReader {
  /// The use of releases by arrivals, by release name; empty for an app without sessions on these days.
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
