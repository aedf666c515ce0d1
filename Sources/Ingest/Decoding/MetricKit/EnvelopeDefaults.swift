import Core

/// Release, device and environment in a client's wrapper object around MetricKit documents. They are the defaults for
/// members that the documents omit. Members of an unexpected type are ignored.
struct EnvelopeDefaults {
  private(set) var release = Release(version: "")
  private(set) var model = ""
  private(set) var bundleID: String?
  private(set) var environment: String?
  /// The kind of diagnostics that do not state one.
  private(set) var kind: DiagnosticKind?
  /// The time of documents that do not state one.
  private(set) var time: Timestamp?
  /// The name of the operating system, such as `iOS`, for versions without a name.
  private var platform = ""
  private var osText = ""
  /// The app's attributes from a member `attributes`.
  private(set) var attributes: [AppAttribute] = []
  private let context: DecodingContext

  init(_ context: DecodingContext) { self.context = context }

  var system: OperatingSystem {
    // Foundation writes "Version 26.1 (Build 23B85)".
    let isFoundations = osText.hasPrefix("Version ")
    let text = isFoundations ? String(osText.dropFirst(8)).replacing("(Build ", with: "(") : osText
    let parsed = OperatingSystem(parsing: text)
    guard parsed.version.isEmpty, let first = parsed.name.utf8.first, (48...57).contains(first) else { return parsed }
    let platform = !platform.isEmpty ? platform : model.hasPrefix("iP") ? "iOS" : ""
    return OperatingSystem(name: platform, version: parsed.name, build: parsed.build)
  }

  /// The defaults for documents inside `envelope`. Its members take precedence over those of outer objects.
  func inside(_ envelope: JSONObject) -> Self {
    var defaults = self
    for (key, value) in envelope {
      defaults.see(key, value)
      // Only one level is read, so that a client cannot choose the depth.
      let isApp = key == "app"
      guard isApp || key == "device", let part = value.objectOrNil else { continue }
      // A device's version is not the app's version.
      for (key, value) in part where isApp || !(key == "version" || key == "build") { defaults.see(key, value) }
    }
    return defaults
  }

  /// The defaults with the members of an Apple document. Its `version` is ignored, because it is the format's version.
  func insideDocument(_ document: JSONObject) -> Self {
    var defaults = self
    for (key, value) in document where !(key == "version") { defaults.see(key, value) }
    return defaults
  }

  private mutating func see(_ key: BorrowedJSONString, _ value: JSONValue) {
    switch value.kind {
    case .string: if let text = value.textOrNil, text.count > 0 { see(key, text) }
    case .object: if let object = value.objectOrNil { see(key, object) }
    case .integer, .double: seeNumber(key, value)
    case .boolean: if key == "isTestFlightApp", (value.booleanOrNil) == true { environment = "testflight" }
    default: break
    }
  }

  private mutating func see(_ key: BorrowedJSONString, _ text: BorrowedJSONString) {
    switch key {
    case "appVersion", "app_version", "applicationVersion", "version": release.version = text.kept
    case "build", "buildNumber", "build_number", "appBuild", "app_build", "appBuildVersion",
      "applicationBuildVersion":
      release.build = text.kept
    case "bundleIdentifier", "bundleId", "bundleID", "bundle_id": bundleID = text.kept
    case "osVersion", "os_version", "systemVersion", "os": osText = text.kept
    case "platform": platform = Self.platform(text.kept)
    case "deviceModel", "device_model", "deviceType", "device", "model": model = text.kept
    case "environment": environment = text.kept
    case "distribution": environment = text.kept.lowercased() == "testflight" ? "testflight" : environment
    case "kind", "type", "diagnosticType", "diagnostic_type": kind = DiagnosticKind(word: text) ?? kind
    case "capturedAt", "captured_at", "timestamp": time = text.count <= 64 ? Timestamp(iso: text.bytes) : nil
    default: break
    }
  }

  private mutating func see(_ key: BorrowedJSONString, _ object: JSONObject) {
    switch key {
    case "attributes": attributes = context.attributes(in: object).completed(by: attributes)
    case "platform", "os":
      for (key, value) in object {
        guard let text = value.textOrNil else { continue }
        switch key {
        case "name": platform = Self.platform(text.kept)
        case "version", "osVersion", "os_version": osText = text.kept
        default: break
        }
      }
    default: kind = DiagnosticKind(reportKey: key) ?? kind
    }
  }

  private mutating func seeNumber(_ key: BorrowedJSONString, _ value: JSONValue) {
    switch key {
    case "build", "buildNumber", "build_number":
      if let number = value.integerOrNil { release.build = String(number) }
    case "windowEndMs", "capturedAt", "captured_at", "timestamp", "generatedAt":
      // The end of a payload's own window is more precise than the time when payloads were packed.
      guard time == nil || key == "windowEndMs" else { return }
      time = (value.numberOrNil).flatMap { TimestampParsing.timestamp(metricKit: $0) }
    default: break
    }
  }

  private static func platform(_ text: String) -> String {
    switch text.lowercased() {
    case "ios", "iphone os", "iphone", "ipados": "iOS"
    case "macos", "mac": "macOS"
    case "visionos": "visionOS"
    case "tvos": "tvOS"
    case "watchos": "watchOS"
    default: text
    }
  }
}

extension EnvelopeDefaults {
  /// The report with its empty fields filled from the envelope.
  func filling(_ report: Report) -> Report {
    var report = report
    if !report.isMixedRelease { fill(&report.release) }
    fill(&report.device)
    report.bundleID = report.bundleID ?? bundleID
    if report.environment == "production", let environment { report.environment = environment }
    report.attributes = attributes.completed(by: report.attributes)
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
