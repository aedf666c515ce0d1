import Statistics
import Storage
import Telemetry

extension HealthReader {
  /// Every build with data in the window, newest version first.
  func releases(_ scope: Scope) throws -> [ReleaseReport] {
    var slice = scope.slice
    slice.release = nil
    let scope = scope.with(slice: slice)
    guard let life = try lifeRows(scope) else { return [] }
    let rows = life.filter { scope.window.from <= $0.bin.day && $0.bin.day <= scope.window.to }
    let members = Dictionary(grouping: rows + (try users(scope)), by: \.member)
    let end = min(Int(scope.localNow.milliseconds / 60_000), (scope.window.to.number + 1) * 1440)
    let adoption = Adoption(rows: rows, end: end, window: scope.window, now: scope.localNow)
    let devices = try deviceAdoption(scope, end: end)
    let history = UsageHistory(rows: life, end: end, now: scope.localNow)
    let known = scope.inventory.releases.filter { $0.environment == slice.environment }
    let minute = Int(scope.localNow.milliseconds / 60_000)
    var starts: [String: Int] = [:]
    for row in life { starts[row.member] = min(starts[row.member] ?? .max, row.bin.start) }
    return ReleaseReport.withShares(
      known.compactMap { known in
        let member = known.release.title
        guard let own = members[member] else { return nil }
        let series = SeriesSet(own).chosen
        var report = ReleaseReport(
          release: known.release, sessions: Measure.tally(series).map { Int($0.tally.total) } ?? 0,
          payloads: Self.payloads(own), adoption: adoption.share(of: member),
          adoptionDevices: devices.share(of: member), stage: history.stage(of: member), firstSeen: known.firstDay,
          lastSeen: known.lastDay, crashFree: Self.ratio("sessions.crash_free", series))
        report.age = starts[member].map { max(0, minute - $0) }
        return report
      }.sorted { VersionOrder.precedes($1.release, $0.release) })
  }

  /// Sessions and payloads by release from the first release on, for stages; nil where the window itself is no longer
  /// kept. Releases of one device or OS are kept 35 days: the other numbers of an older window are not lost with them.
  private func lifeRows(_ scope: Scope) throws -> [MetricRow]? {
    let born = scope.inventory.releases.filter { $0.environment == scope.slice.environment }.map(\.firstDay).min()
    let first = min(scope.window.from, max(born ?? scope.window.from, scope.window.to - (Self.lifeDays - 1)))
    do {
      return try lifeRows(scope, from: first)
    } catch StoreError.windowTooOld(let oldest) where oldest <= scope.window.from {
      return try lifeRows(scope, from: oldest)
    } catch StoreError.windowTooOld {
      return nil
    }
  }

  private func lifeRows(_ scope: Scope, from first: CalendarDay) throws -> [MetricRow] {
    try rows(
      scope.with(window: Window(from: first, to: scope.window.to)), metrics: ["sessions", "payloads"],
      dimension: .release, bins: .finest)
  }

  /// Marginals are kept so long.
  private static let lifeDays = 400

  /// Users by release: how sure a crash-free rate is depends on who crashed how often.
  private func users(_ scope: Scope) throws -> [MetricRow] {
    do {
      return try rows(scope, metrics: ["users"], dimension: .release)
    } catch StoreError.windowTooOld {
      return []
    }
  }

  private func deviceAdoption(_ scope: Scope, end: Int) throws -> DeviceAdoption {
    let own = scope.with(window: DeviceAdoption.days(before: end))
    do {
      return DeviceAdoption(rows: try rows(own, metrics: ["users"], dimension: .release))
    } catch StoreError.windowTooOld {
      return DeviceAdoption(rows: [])
    }
  }

  private static func payloads(_ rows: [MetricRow]) -> Int {
    rows.reduce(0) { sum, row in
      if row.source == .metricKit, row.metric == .known(Catalogue.payloads), case .counter(let count) = row.aggregate {
        return sum + Int(count.payloads)
      }
      return sum
    }
  }
}
