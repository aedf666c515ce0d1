internal import JSON
internal import Telemetry

/// What an Apple crash report says, in whichever of its two forms, and the report it becomes.
struct AppleReportFacts {
  var kind = DiagnosticKind.crash
  var environment = "production"
  var bundleID: String?
  var release = Release(version: "")
  var device = Device(model: "", system: OperatingSystem(name: "", version: ""))
  /// Nil when the report names no moment.
  var time: Timestamp?
  /// The UUID that the device gave the incident: the same in every copy of the report, of either form.
  var incident = ""
  /// What tells devices apart, as far as the report does: the vendor's identifier, else the reporter's key.
  var user: String?
  var exception = ExceptionFacts()

  /// The only report that such a file becomes.
  func report(calls: CallTree, contentHash: UInt64, body: [UInt8], _ context: DecodingContext) -> Report {
    let time = time.map(context.clamp)
    let diagnostic = Diagnostic(
      kind: kind, time: .instant(time ?? context.received), identity: identity(contentHash), exception: exception,
      user: user, calls: calls, body: body)
    return Report(
      source: .appleReport, environment: environment, bundleID: bundleID, release: release, device: device,
      diagnostics: [diagnostic], assumedTimes: time == nil ? 1 : 0)
  }

  private func identity(_ contentHash: UInt64) -> UInt64 {
    guard !incident.isEmpty else { return contentHash }
    var hash = ContentHash(seed: 0x0A99_1E00)
    hash.combine(incident.uppercased())
    return hash.value
  }
}
