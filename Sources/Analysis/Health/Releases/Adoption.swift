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
      counts[row.member] = (counts[row.member] ?? 0).saturatingAdd(row.count)
      total = total.saturatingAdd(row.count)
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

extension ReleaseReport {
  /// Fills in `shareOfRelease`: each build's share of its version's sessions, or of the payloads for a version without
  /// sessions.
  static func withShares(_ reports: [ReleaseReport]) -> [ReleaseReport] {
    var sessions: [String: Int] = [:]
    var payloads: [String: Int] = [:]
    for report in reports {
      sessions[report.release.version] = report.sessions.saturatingAdd(sessions[report.release.version] ?? 0)
      payloads[report.release.version] = report.payloads.saturatingAdd(payloads[report.release.version] ?? 0)
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
