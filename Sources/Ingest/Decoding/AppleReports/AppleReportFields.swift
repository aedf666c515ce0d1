internal import Core

/// The fields read from an Apple crash report (`.ips` or `.crash`), and their conversion to a `Report`.
struct AppleReportFields {
  var kind = DiagnosticKind.crash
  var environment = "production"
  var bundleID: String?
  var release = Release(version: "")
  var device = Device(model: "", system: OperatingSystem(name: "", version: ""))
  /// The time of the crash; nil if the report does not state it.
  var time: Timestamp?
  /// The incident's UUID, from the device. Every copy of the report has it, in either file format.
  var incident = ""
  /// An identifier of the device: the app vendor's or, without it, the crash reporter's key; nil if the report has
  /// neither.
  var user: String?
  var exception = ExceptionDetails()

  /// The report with its single diagnostic. `contentHash` identifies a diagnostic without an incident UUID.
  func report(calls: CallTree, contentHash: () -> UInt64, body: PackedJSON, _ context: DecodingContext) -> Report {
    let time = time.map(context.clamp)
    let diagnostic = Diagnostic(
      kind: kind, time: .instant(time ?? context.received), identity: identity(contentHash), exception: exception,
      user: user, calls: calls, body: body)
    return Report(
      source: .appleReport, environment: environment, bundleID: bundleID, release: release, device: device,
      diagnostics: [diagnostic], assumedTimes: time == nil ? 1 : 0)
  }

  private func identity(_ contentHash: () -> UInt64) -> UInt64 {
    guard !incident.isEmpty else { return contentHash() }
    var hash = SeededHash(seed: 0x0A99_1E00)
    hash.combine(incident.uppercased())
    return hash.value
  }
}

/// The kinds of Apple reports by `bug_type`, and the diagnostics they become.
enum AppleReportKind {
  /// The message that refuses reports with this `bug_type`; nil for crash reports, which are accepted.
  static func refusal(ofType type: String) -> String? {
    switch type {
    case "309", "109", "385", "": nil
    case "298", "98": "bug_type \(type) is a Jetsam event: it lists the memory of every process and has no call stacks"
    case "288": "bug_type 288 is a stackshot of the whole device, not a crash of one app"
    default: "bug_type \(type.prefix(20)) is not supported; expected 309, 109 (crashes) or 385 (simulated crashes)"
    }
  }

  /// The kind of diagnostic. An EXC_RESOURCE has the crash type but reports an exceeded limit. After a simulated crash
  /// (`385`) the app continued to run.
  static func kind(type: String, exception: String?, subtype: String?) -> DiagnosticKind {
    if exception == "EXC_RESOURCE", let subtype = subtype?.uppercased() {
      if subtype.contains("MEMORY") { return .memoryException }
      if subtype.contains("CPU") || subtype.contains("WAKEUPS") { return .cpuException }
      if subtype.contains("DISK") || subtype.contains("IO") { return .diskWriteException }
    }
    return type == "385" ? .error : .crash
  }

  /// A termination reason in MetricKit's notation: `Namespace FRONTBOARD, Code 0x8badf00d`.
  static func termination(namespace: String, code: UInt64) -> String {
    "Namespace \(namespace), Code 0x\(String(code, radix: 16))"
  }
}
