import Statistics
import Storage
import Telemetry

/// Who uses which release: shares of the last day's sessions, or of the newest complete day's payloads where an app
/// sends no sessions.
struct Adoption {
  private var counts: [String: Int64] = [:]
  private var total: Int64 = 0

  /// Rows by release; the last day ends with the minute `end`.
  init(rows: [UsageRow], end: Int, window: Window, now: Timestamp) {
    count(rows) { row in
      guard row.kind == .sessions else { return false }
      return row.bin.resolution == .day
        ? row.bin.day == window.to : row.bin.start >= end - 1440 && row.bin.start < end
    }
    if total > 0 { return }
    let days = Set(rows.filter { $0.kind == .payloads }.map(\.bin.day))
    guard let day = days.filter({ $0 < now.day() }).max() ?? days.max() else { return }
    count(rows) { $0.kind == .payloads && $0.bin.day == day }
  }

  /// 0 to 1; nil without any use.
  func share(of member: String) -> Double? {
    total > 0 ? Double(counts[member] ?? 0) / Double(total) : nil
  }

  private mutating func count(_ rows: [UsageRow], where isCounted: (UsageRow) -> Bool) {
    for row in rows where isCounted(row) {
      counts[row.member] = (counts[row.member] ?? 0).addingSaturated(row.count)
      total = total.addingSaturated(row.count)
    }
  }
}

/// Shares of distinct users. Users are kept by the day: these are the users of the days that the last 24 hours touch.
struct DeviceAdoption {
  private var users: [String: UserUnion] = [:]
  private var total = 0

  init(rows: [MetricRow]) {
    var all = UserUnion()
    for row in rows {
      guard case .users(let tally) = row.aggregate else { continue }
      users[row.member, default: UserUnion()].add(tally.all)
      all.add(tally.all)
    }
    total = all.estimate
  }

  /// The days that the 24 hours before the minute `end` touch.
  static func days(before end: Int) -> Window {
    Window(
      from: TimeBin(start: end - 1440, resolution: .fiveMinutes).day,
      to: TimeBin(start: end - 1, resolution: .fiveMinutes).day)
  }

  /// 0 to 1; nil when no user is known. A user who updated counts for both releases.
  func share(of member: String) -> Double? {
    total > 0 ? min(1, Double(users[member]?.estimate ?? 0) / Double(total)) : nil
  }
}
