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

/// The stage of a release in its lifetime, by its share of use.
public enum ReleaseStage: String, Sendable, CaseIterable {
  /// The release's share of use is below a tenth, and was never higher for six hours.
  case low
  /// The release's share of use is a tenth or more.
  case adopted
  /// The release's share of use fell below a tenth after it was adopted.
  case replaced

  /// The share of sessions (of payloads for apps without sessions) from which a release counts as adopted.
  static let adoptedShare = 0.1
  /// The number of hours for which a share must be on the other side of the limit before the stage changes.
  static let hoursToHold = 6
}

/// Follows the stage of one release through its shares over time.
struct StageTrack {
  private(set) var stage = ReleaseStage.low
  /// The hour since which the release's share has been on the other side of the limit; nil while it is not.
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

  /// Notes an hour without any use: the time for a pending change starts again.
  mutating func noteSilence() { otherSince = nil }

  private func isOther(_ share: Double) -> Bool { (share >= ReleaseStage.adoptedShare) != (stage == .adopted) }

  private mutating func change() {
    stage = stage == .adopted ? .replaced : .adopted
    otherSince = nil
  }
}

extension ReleaseReport {
  /// Fills in `shareOfRelease`: each build's share of its version's sessions, or of its payloads for a version without
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

  /// The share of the last day's sessions below which a release is not in use.
  static let leastUse = 0.01

  /// Whether the release has been in use for long enough to succeed another one. True where nothing is known of
  /// arrivals, such as for apps that send no sessions.
  var isLasting: Bool { arrivals?.isLasting ?? true }
}
