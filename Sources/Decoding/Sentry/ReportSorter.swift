internal import Telemetry

/// Puts the parts of an envelope into reports by what they have in common, in the order of their first parts.
struct ReportSorter {
  private(set) var reports: [Report] = []
  /// Parts that would have needed one report too many.
  private(set) var refused = 0
  private var indexOfReport: [SentryOrigin: Int] = [:]
  /// Where the first diagnostic of a build came from.
  private var devices: [Build: SentryOrigin] = [:]

  private struct Build: Hashable {
    let release: Release
    let environment: String

    init(_ origin: SentryOrigin) {
      release = origin.release
      environment = origin.environment
    }
  }

  mutating func add(_ diagnostic: Diagnostic, of origin: SentryOrigin) {
    if devices[Build(origin)] == nil { devices[Build(origin)] = origin }
    if let index = index(of: origin) { reports[index].diagnostics.append(diagnostic) }
  }

  /// Behind the diagnostics, which know the device.
  mutating func add(_ update: SessionUpdate, of origin: SentryOrigin) {
    if let index = index(of: devices[Build(origin)] ?? origin) { reports[index].sessions.append(update) }
  }

  /// What belongs to the whole envelope stands in its first report.
  mutating func finish(_ losses: [ClientLoss], assumedTimes: Int) {
    if reports.isEmpty, !losses.isEmpty {
      _ = index(of: SentryOrigin(release: Release(version: ""), environment: "production"))
    }
    guard !reports.isEmpty else { return }
    reports[0].losses = losses
    reports[0].assumedTimes = assumedTimes
  }

  /// The place of the report of `origin`, begun at its first use; nil when there are too many.
  private mutating func index(of origin: SentryOrigin) -> Int? {
    if let index = indexOfReport[origin] { return index }
    guard reports.count < Limits.documents else {
      refused += 1
      return nil
    }
    indexOfReport[origin] = reports.count
    reports.append(origin.emptyReport)
    return reports.count - 1
  }
}
