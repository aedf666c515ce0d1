internal import Core

/// Groups the contents of a Sentry envelope into reports with equal origins, in the order in which they are added.
struct SentryReports {
  private(set) var reports: [Report] = []
  /// The number of parts that did not fit, because the envelope has too many origins.
  private(set) var refused = 0
  private var indexOfReport: [SentryOrigin: Int] = [:]
  /// The origin of each build's first diagnostic or measurement, from which its sessions take their device.
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

  mutating func add(_ measurement: Measurement, of origin: SentryOrigin) {
    if devices[Build(origin)] == nil { devices[Build(origin)] = origin }
    if let index = index(of: origin) { reports[index].measurements.append(measurement) }
  }

  /// Adds a session. Call this after everything else was added, because the rest states the device and sessions do not.
  ///
  /// A session keeps its own attribute, or none: taken from events, only sessions with errors would have one, and every
  /// value would look as if all its sessions went wrong.
  mutating func add(_ update: SessionUpdate, of origin: SentryOrigin) {
    var own = devices[Build(origin)] ?? origin
    own.attribute = origin.attribute
    if let index = index(of: own) { reports[index].sessions.append(update) }
  }

  /// Adds what belongs to the whole envelope to its first report.
  mutating func finish(_ losses: [ClientLoss], assumedTimes: Int, rejectedSamples: Int) {
    if reports.isEmpty, !losses.isEmpty || rejectedSamples > 0 {
      _ = index(of: SentryOrigin(release: Release(version: ""), environment: "production"))
    }
    guard !reports.isEmpty else { return }
    reports[0].losses = losses
    reports[0].assumedTimes = assumedTimes
    reports[0].rejectedSamples = rejectedSamples
  }

  /// The index of the report with this origin, which is created on first use; nil when there are too many.
  private mutating func index(of origin: SentryOrigin) -> Int? {
    if let index = indexOfReport[origin] { return index }
    guard reports.count < DecodingLimits.documents else {
      refused += 1
      return nil
    }
    indexOfReport[origin] = reports.count
    reports.append(origin.emptyReport)
    return reports.count - 1
  }
}
