import Storage
import Telemetry

extension HealthReader {
  /// Every build with data in the window, newest version first.
  func releases(_ scope: Scope) throws -> [ReleaseReport] {
    var slice = scope.slice
    slice.release = nil
    let scope = scope.with(slice: slice)
    let rows: [MetricRow]
    do {
      rows = try self.rows(scope, metrics: ["sessions", "payloads"], dimension: .release)
    } catch StoreError.windowTooOld {
      // Releases of one device or OS are kept 35 days. The other numbers of an older window are not lost with them.
      return []
    }
    let members = Dictionary(grouping: rows, by: \.member)
    let adoption = Adoption(rows: rows, window: scope.window, now: scope.localNow)
    return scope.inventory.releases.filter { $0.environment == slice.environment }.compactMap { known in
      guard let own = members[known.release.title] else { return nil }
      let series = SeriesSet(own).chosen
      return ReleaseReport(
        release: known.release, sessions: Measure.tally(series).map { Int($0.tally.total) } ?? 0,
        payloads: Self.payloads(own), adoption: adoption.share(of: known.release.title), firstSeen: known.firstDay,
        lastSeen: known.lastDay, crashFree: Self.ratio("sessions.crash_free", series))
    }.sorted { VersionOrder.precedes($1.release, $0.release) }
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

/// Who uses which release: shares of the last day's sessions, or of the newest complete day's payloads where an app
/// sends no sessions.
struct Adoption {
  private var counts: [String: Int64] = [:]
  private var total: Int64 = 0

  init(rows: [MetricRow], window: Window, now: Timestamp) {
    let end = min(Int(now.milliseconds / 60_000), (window.to.number + 1) * 1440)
    count(rows) { row in
      guard case .sessions(let tally) = row.aggregate else { return 0 }
      let isRecent =
        row.bin.resolution == .day ? row.bin.day == window.to : row.bin.start >= end - 1440 && row.bin.start < end
      return isRecent ? tally.total : 0
    }
    if total > 0 { return }
    let days = Set(rows.filter { $0.metric == .known(Catalogue.payloads) }.map(\.bin.day))
    guard let day = days.filter({ $0 < now.day() }).max() ?? days.max() else { return }
    count(rows) { row in
      guard row.bin.day == day, case .counter(let count) = row.aggregate else { return 0 }
      return count.payloads
    }
  }

  /// 0 to 1; nil when nobody used anything.
  func share(of member: String) -> Double? {
    total > 0 ? Double(counts[member] ?? 0) / Double(total) : nil
  }

  private mutating func count(_ rows: [MetricRow], _ weight: (MetricRow) -> Int64) {
    for row in rows {
      let found = weight(row)
      counts[row.member, default: 0] += found
      total += found
    }
  }
}
