internal import Telemetry

extension EnvelopeFacts {
  /// The report with what it leaves open taken from the envelope.
  func filling(_ report: Report) -> Report {
    var report = report
    if !report.isMixedRelease { fill(&report.release) }
    fill(&report.device)
    report.bundleID = report.bundleID ?? bundleID
    if report.environment == "production", let environment { report.environment = environment }
    return report
  }

  func fill(_ release: inout Release) {
    if release.version.isEmpty { release.version = self.release.version }
    if release.build.isEmpty { release.build = self.release.build }
  }

  func fill(_ device: inout Device) {
    if device.model.isEmpty { device.model = model }
    if device.system.name.isEmpty, device.system.version.isEmpty { device.system = system }
  }
}
