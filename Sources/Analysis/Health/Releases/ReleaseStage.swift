import Core
import Storage

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

/// The use of each release over its lifetime: by hour in the last four weeks, by day before.
///
/// The resolution depends only on the current day, not on how far rows were compacted, so compaction changes no stage.
struct UsageHistory {
  private var tracks: [String: StageTrack] = [:]

  /// The number of days before today that are evaluated by hour. Hourly rows are stored for a week longer.
  static let hourlyDays = 28

  /// Computes the use of each release from its rows: sessions or, for apps without sessions, payloads by whole days.
  init(_ rows: [String: [UsageRow]], end: Int, now: Timestamp) {
    for member in rows.keys where member != Release.mixed.title { tracks[member] = StageTrack() }
    let sessions = rows.mapValues { $0.filter { $0.kind == .sessions && $0.count > 0 } }
    if sessions.values.allSatisfy(\.isEmpty) {
      follow(days: rows.mapValues { $0.filter { $0.kind == .payloads } }, before: now.day().number)
    } else {
      let firstHourly = now.day().number - Self.hourlyDays
      follow(days: sessions, before: min(firstHourly, (end + 1439) / 1440))
      follow(hours: sessions, from: firstHourly * 24, through: end / 60)
    }
  }

  /// The stage of a release; nil without use and for payloads of several releases.
  func stage(of member: String) -> ReleaseStage? { tracks[member]?.stage }

  private mutating func follow(days uses: [String: [UsageRow]], before end: Int) {
    let earlier = uses.mapValues { $0.filter { $0.bin.day.number < end } }
    let days = Set(earlier.values.joined().lazy.map(\.bin.day.number)).sorted()
    let places = Dictionary(uniqueKeysWithValues: zip(days, days.indices))
    let none = [Int64](repeating: 0, count: days.count)
    var totals = none
    let own = earlier.mapValues { uses in
      var counts = none
      for use in uses {
        guard let place = places[use.bin.day.number] else { continue }
        counts[place] = counts[place].saturatingAdd(use.count)
        totals[place] = totals[place].saturatingAdd(use.count)
      }
      return counts
    }
    for (member, known) in tracks {
      var track = known
      let counts = own[member] ?? none
      for (count, total) in zip(counts, totals) where total > 0 { track.note(dayShare: Double(count) / Double(total)) }
      tracks[member] = track
    }
  }

  private mutating func follow(hours uses: [String: [UsageRow]], from first: Int, through last: Int) {
    guard last > first else { return }
    var all = RollingDay(from: first, through: last)
    let own = uses.mapValues { uses in
      var hours = RollingDay(from: first, through: last)
      for use in uses {
        all.add(use.count, minute: use.bin.start)
        hours.add(use.count, minute: use.bin.start)
      }
      return hours
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
      hours[index] = min(Self.most, hours[index].saturatingAdd(max(0, count)))
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
