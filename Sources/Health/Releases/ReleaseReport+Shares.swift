import Storage
import Telemetry

extension ReleaseReport {
  /// The same rows, each with what it contributes to its version: its share of the version's sessions, of its payloads
  /// where it has no sessions.
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
  /// `4.2.0 (1234)`, or `4.2.0` without a build: what a slice of this build is called.
  public var title: String { release.title }
}
