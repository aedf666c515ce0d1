import Core
import Storage

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
