internal import JSON
internal import Telemetry

/// The fields read from an Apple crash report, from `.ips` or `.crash` text, and the report made of them.
struct AppleReportFields {
  var kind = DiagnosticKind.crash
  var environment = "production"
  var bundleID: String?
  var release = Release(version: "")
  var device = Device(model: "", system: OperatingSystem(name: "", version: ""))
  /// Nil when the report names no moment.
  var time: Timestamp?
  /// The UUID that the device gave the incident: the same in every copy of the report, of either form.
  var incident = ""
  /// Identifies the device, as far as the report does: the vendor's identifier, else the reporter's key.
  var user: String?
  var exception = ExceptionDetails()

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

/// What sort of report it is, and what sorts of diagnostic those are.
enum AppleReportKind {
  /// Whether reports of this number (`bug_type`) are about a crash of one app; the reason why not, for people.
  static func refusal(ofType type: String) -> String? {
    switch type {
    case "309", "109", "385", "": nil
    case "298", "98": "bug_type \(type) is a Jetsam event: it lists the memory of every process and has no call stacks"
    case "288": "bug_type 288 is a stackshot of the whole device, not a crash of one app"
    default: "bug_type \(type.prefix(20)) is not read; 309 and 109 (crashes) and 385 (simulated crashes) are"
    }
  }

  /// Exceeded resources are crashes only by name; after a simulated crash (`385`) the app went on.
  static func kind(type: String, exception: String?, subtype: String?) -> DiagnosticKind {
    if exception == "EXC_RESOURCE", let subtype = subtype?.uppercased() {
      if subtype.contains("MEMORY") { return .memoryException }
      if subtype.contains("CPU") || subtype.contains("WAKEUPS") { return .cpuException }
      if subtype.contains("DISK") || subtype.contains("IO") { return .diskWriteException }
    }
    return type == "385" ? .error : .crash
  }

  /// `Namespace FRONTBOARD, Code 0x8badf00d`, as MetricKit writes it.
  static func termination(namespace: String, code: UInt64) -> String {
    "Namespace \(namespace), Code 0x\(String(code, radix: 16))"
  }
}
