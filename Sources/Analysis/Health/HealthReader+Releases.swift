package import Core
import Statistics
package import Storage

extension HealthReader {
  /// Every build that ever had data in an environment.
  package func releasesEver(_ app: App, environment: String) throws -> [Release] {
    try store.inventory(of: app.id).releases.filter { $0.environment == environment }.map(\.release)
  }

  /// The builds with data in the window, newest version first.
  package func releases(_ scope: Scope) throws -> [ReleaseReport] {
    var slice = scope.slice
    slice.release = nil
    let scope = scope.with(slice: slice)
    guard let life = try lifeUsage(scope) else { return [] }
    let counted = try countedSeries(scope)
    let members = Dictionary(grouping: counted.series, by: \.member)
    let end = min(Int(scope.localNow.milliseconds / 60_000), (scope.window.to.number + 1) * 1440)
    let usage = life.lazy.filter { scope.window.from <= $0.bin.day && $0.bin.day <= scope.window.to }
    // Use is stored in steps of five minutes. The last day ends with the last complete step, so it changes only every
    // five minutes, and cached pages agree with commands.
    let lastDay = end / 5 * 5
    let adoption = Adoption(rows: usage, end: lastDay, window: scope.window, now: scope.localNow)
    let devices = try deviceAdoption(scope, counted, end: lastDay)
    let history = UsageHistory(life, end: end, now: scope.localNow)
    // Read after the rows. Otherwise a release whose first payload is digested in between would be missing from the
    // list although the numbers include it.
    let known = try store.inventory(of: scope.app).releases.filter { $0.environment == slice.environment }
    let minute = Int(scope.localNow.milliseconds / 60_000)
    return ReleaseReport.withShares(
      known.compactMap { known in
        let member = known.release.title
        guard let own = members[member] else { return Self.unused(known, scope) }
        let series = SeriesSet.chosen(of: own)
        var report = ReleaseReport(
          release: known.release, sessions: Measure.tally(series).map { Int($0.tally.total) } ?? 0,
          payloads: Self.payloads(own), adoption: adoption.share(of: member),
          adoptionDevices: devices.share(of: member), stage: known.release.isNamed ? history.stage(of: member) : nil,
          firstSeen: known.firstDay,
          lastSeen: known.lastDay, crashFree: Self.ratio("sessions.crash_free", series))
        report.age = history.start(of: member).map { max(0, minute - $0) }
        return report
      }.sorted { VersionOrder.precedes($1.release, $0.release) })
  }

  /// A release with only diagnostics in the window. Nil if it was not seen in the window, or if the slice selects a
  /// device or OS version, for which its use is unknown.
  private static func unused(_ known: KnownRelease, _ scope: Scope) -> ReleaseReport? {
    let slice = scope.slice
    let isNarrow = slice.os != nil || slice.device != nil || slice.deviceClass != nil || slice.attribute != nil
    guard !isNarrow, known.release != .mixed, known.firstDay <= scope.window.to, known.lastDay >= scope.window.from
    else { return nil }
    return ReleaseReport(
      release: known.release, sessions: 0, payloads: 0, adoption: nil, firstSeen: known.firstDay,
      lastSeen: known.lastDay, crashFree: .init())
  }

  /// Sessions and payloads by release since the first release, used to compute stages. Nil if such rows have expired:
  /// after 35 days for a slice of one device or OS version. The report's other numbers do not need them.
  private func lifeUsage(_ scope: Scope) throws -> [UsageRow]? {
    let born = scope.inventory.releases.filter { $0.environment == scope.slice.environment }.map(\.firstDay).min()
    let first = min(scope.window.from, max(born ?? scope.window.from, scope.window.to - (Self.lifeDays - 1)))
    switch try KeptWindow({ try lifeUsage(scope, from: first) }) {
    case .whole(let usage): return usage
    case .from(let oldest): return oldest <= scope.window.from ? try lifeUsage(scope, from: oldest) : nil
    }
  }

  private func lifeUsage(_ scope: Scope, from first: CalendarDay) throws -> [UsageRow] {
    try store.usage(
      RowQuery(
        app: scope.app, slice: scope.slice, window: Window(from: first, to: scope.window.to),
        metrics: UsageRow.metrics, dimension: .release))
  }

  /// The number of days for which rows by a single dimension are stored.
  private static let lifeDays = 400

  /// Reads sessions, payloads and users by release and day. Users are included because the interval of a crash-free
  /// rate depends on how often individual users crash.
  private func countedSeries(_ scope: Scope) throws -> SeriesSet {
    try KeptWindow { try set(scope, metrics: UsageRow.metrics + ["users"], dimension: .release) }.whole ?? SeriesSet()
  }

  /// The share of distinct users of each release. `counted`: the series by release for the scope's window, which
  /// usually contains the required days.
  private func deviceAdoption(_ scope: Scope, _ counted: SeriesSet, end: Int) throws -> DeviceAdoption {
    let days = DeviceAdoption.days(before: end)
    if scope.window.from <= days.from, days.to <= scope.window.to {
      return DeviceAdoption(counted.series, in: days)
    }
    let users = try KeptWindow { try set(scope.with(window: days), metrics: ["users"], dimension: .release) }
    return DeviceAdoption(users.whole?.series ?? [], in: days)
  }

  private static func payloads(_ series: [Series]) -> Int {
    var sum = 0
    for own in series where own.source == .metricKit && own.metric == .known(Catalogue.payloads) {
      own.forEachDay { _, aggregate in
        if case .counter(let count) = aggregate { sum = sum.saturatingAdd(Int(count.payloads)) }
      }
    }
    return sum
  }
}
