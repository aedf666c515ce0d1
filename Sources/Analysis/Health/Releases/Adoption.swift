import Core
import Statistics
import Storage

/// The share of use of each release: of the last day's sessions or, for apps that send none, of the newest complete
/// day's payloads.
struct Adoption {
  private var counts: [String: Int64] = [:]
  private var total: Int64 = 0

  /// Computes the shares from `rows`, the use by release. `end`: the minute since 1970 at which the last day ends.
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

  /// The share of a release, 0 to 1; nil without any use.
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

/// The share of distinct users of each release. Users are stored by day, so they are those of all days that overlap the
/// last 24 hours.
struct DeviceAdoption {
  private var users: [String: UserUnion] = [:]
  private var total = 0

  /// - Parameter series: series by release, of which those of users count.
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
