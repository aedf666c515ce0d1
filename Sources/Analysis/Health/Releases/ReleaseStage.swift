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
  private struct Use {
    /// When its first row begins, in minutes since 1970.
    var start: Int
    var track = StageTrack()
  }

  /// The use of each release, and of payloads of several releases.
  private var uses: [Use] = []
  private var numbers = KeyNumbers<String>()

  /// The number of days before today that are evaluated by hour. Hourly rows are stored for a week longer.
  static let hourlyDays = 28

  /// Computes the use of each release from rows by release: sessions or, for apps without sessions, payloads by whole
  /// days.
  init(_ rows: [UsageRow], end: Int, now: Timestamp) {
    let owners = rows.map { row in
      let number = numbers.number(of: row.member)
      if number == uses.count { uses.append(Use(start: row.bin.start)) }
      uses[number].start = min(uses[number].start, row.bin.start)
      return number
    }
    let today = now.day().number
    let owned = zip(owners, rows).lazy
    if rows.contains(where: { $0.kind == .sessions && $0.count > 0 }) {
      let firstHourly = today - Self.hourlyDays
      let sessions = owned.filter { $1.kind == .sessions && $1.count > 0 }
      follow(days: sessions, before: min(firstHourly, (end + 1439) / 1440))
      follow(hours: sessions, from: firstHourly * 24, through: end / 60)
    } else {
      follow(days: owned.filter { $1.kind == .payloads }, before: today)
    }
  }

  /// The stage of a release; nil without use.
  func stage(of member: String) -> ReleaseStage? { numbers.known(member).map { uses[$0].track.stage } }

  /// When the first use of a release was counted, in minutes since 1970; nil without use.
  func start(of member: String) -> Int? { numbers.known(member).map { uses[$0].start } }

  private mutating func follow(days rows: some Sequence<(Int, UsageRow)>, before end: Int) {
    var (first, last) = (Int.max, Int.min)
    for (_, row) in rows where row.bin.day.number < end {
      (first, last) = (min(first, row.bin.day.number), max(last, row.bin.day.number))
    }
    guard first <= last else { return }
    var totals = [Int64](repeating: 0, count: last - first + 1)
    var counts = [[Int64]](repeating: totals, count: uses.count)
    for (owner, row) in rows where row.bin.day.number < end {
      let day = row.bin.day.number - first
      counts[owner][day] = counts[owner][day].saturatingAdd(row.count)
      totals[day] = totals[day].saturatingAdd(row.count)
    }
    for owner in uses.indices {
      for (count, total) in zip(counts[owner], totals) where total > 0 {
        uses[owner].track.note(dayShare: Double(count) / Double(total))
      }
    }
  }

  private mutating func follow(hours rows: some Sequence<(Int, UsageRow)>, from first: Int, through last: Int) {
    guard last > first else { return }
    var all = RollingDay(from: first, through: last)
    var own = [RollingDay](repeating: all, count: uses.count)
    for (owner, row) in rows {
      all.add(row.count, minute: row.bin.start)
      own[owner].add(row.count, minute: row.bin.start)
    }
    let totals = all.sums
    for owner in uses.indices {
      for (index, (sum, total)) in zip(own[owner].sums, totals).enumerated() {
        if total > 0 {
          uses[owner].track.note(share: Double(sum) / Double(total), hour: first + 1 + index)
        } else {
          uses[owner].track.noteSilence()
        }
      }
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
