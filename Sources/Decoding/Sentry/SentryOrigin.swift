internal import Telemetry

/// What the parts of one report have in common.
struct SentryOrigin: Hashable {
  var bundleID: String?
  var release: Release
  var environment: String
  var device = Device(model: "", system: OperatingSystem(name: "", version: ""))

  /// A report with nothing in it.
  var emptyReport: Report {
    Report(source: .sentry, environment: environment, bundleID: bundleID, release: release, device: device)
  }
}
