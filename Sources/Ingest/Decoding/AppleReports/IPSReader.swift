internal import Core

/// Reads the second JSON document of an `.ips` file, which describes the crash. The first document, the header,
/// provides missing fields.
struct IPSReader {
  private var fields = AppleReportFields()
  private let header: IPSHeader
  private let context: DecodingContext
  private let quota: DecodingQuota

  static func report(
    of body: JSONObject, _ header: IPSHeader, _ context: DecodingContext, _ quota: DecodingQuota
  ) throws -> Report {
    try quota.add(.diagnostics, at: body.value)
    var reader = IPSReader(header: header, context: context, quota: quota)
    return try reader.read(body)
  }

  private init(header: IPSHeader, context: DecodingContext, quota: DecodingQuota) {
    self.header = header
    self.context = context
    self.quota = quota
  }

  private mutating func read(_ body: JSONObject) throws -> Report {
    fields.release = Release(version: header.version, build: header.build)
    fields.device.system = OperatingSystem(parsing: header.system)
    fields.bundleID = header.bundleID
    fields.incident = header.incident
    if !header.time.isEmpty { fields.time = Timestamp(iso: header.time) }
    for (key, value) in body where !value.isNull { try read(key, value) }
    fields.kind = AppleReportKind.kind(
      type: header.type, exception: fields.exception.name,
      subtype: try body["exception"]?.object()["subtype"]?.text().kept)
    // The language's exception is more specific than the signal that ended the app.
    if let reason = body["exceptionReason"] { try readReason(reason) }
    let calls = try IPSStacks(body, quota).tree
    return fields.report(
      calls: calls, contentHash: { body.value.contentHash() },
      body: IPSBody.write(body, keepsText: context.keepsExceptionText), context)
  }

  private mutating func read(_ key: BorrowedJSONString, _ value: JSONValue) throws {
    switch key {
    case "captureTime": fields.time = try time(value)
    case "modelCode": fields.device.model = try value.text().kept
    case "osVersion": try readSystem(value.object())
    case "bundleInfo": try readBundle(value.object())
    case "incident": fields.incident = try value.text().kept
    case "crashReporterKey": if fields.user == nil { fields.user = try value.text().kept }
    case "storeInfo":
      let store = try value.object()
      if let vendor = try store["deviceIdentifierForVendor"]?.text().kept { fields.user = vendor }
    case "isBeta": if try Self.isTrue(value) { fields.environment = "testflight" }
    case "isSimulated": if try Self.isTrue(value) { fields.environment = "simulated" }
    case "exception": try readException(value.object())
    case "termination": try readTermination(value.object())
    default: break
    }
  }

  private func time(_ value: JSONValue) throws -> Timestamp {
    let text = try value.text()
    guard text.count <= 64, let time = Timestamp(iso: text.bytes) else {
      throw value.failure(
        "expected a time such as \"2026-11-20 10:00:00.123 +0100\", found \(JSONPath.quoted(text.kept))")
    }
    return time
  }

  private mutating func readSystem(_ system: JSONObject) throws {
    if let train = try system["train"]?.text().kept {
      let build = try system["build"]?.text().kept ?? ""
      fields.device.system = OperatingSystem(parsing: build.isEmpty ? train : "\(train) (\(build))")
    }
  }

  private mutating func readBundle(_ bundle: JSONObject) throws {
    if let version = try bundle["CFBundleShortVersionString"]?.text().kept { fields.release.version = version }
    if let build = try bundle["CFBundleVersion"]?.text().kept { fields.release.build = build }
    if let identifier = try bundle["CFBundleIdentifier"]?.text().kept { fields.bundleID = identifier }
  }

  private mutating func readException(_ exception: JSONObject) throws {
    fields.exception.name = try exception["type"]?.text().kept
    fields.exception.type = fields.exception.name.flatMap { MachException.type(named: $0) }
    fields.exception.signal = try exception["signal"].flatMap { SignalNumber.named(try $0.text().kept) }
    guard let codes = exception["rawCodes"] else { return }
    for code in try codes.array().prefix(1) where code.kind == .integer {
      fields.exception.code = MemoryAddress.read(code)
    }
  }

  private mutating func readTermination(_ termination: JSONObject) throws {
    let namespace = try termination["namespace"]?.text().kept ?? ""
    guard !namespace.isEmpty, let code = termination["code"].flatMap(MemoryAddress.read) else { return }
    fields.exception.termination = AppleReportKind.termination(namespace: namespace, code: code)
  }

  /// Reads name and message of a language exception: `{"name": "NSRangeException", "composed_message": …}`.
  private mutating func readReason(_ value: JSONValue) throws {
    guard value.kind == .object else { return }
    let reason = try value.object()
    if let name = try (reason["name"] ?? reason["class"])?.text().kept, !name.isEmpty { fields.exception.name = name }
    if context.keepsExceptionText {
      fields.exception.reason = try reason["composed_message"]?.text().kept(DecodingLimits.exceptionBytes)
    }
  }

  private static func isTrue(_ value: JSONValue) throws -> Bool {
    value.kind == .boolean ? try value.boolean() : try value.number() != 0
  }
}

/// The first JSON document of an `.ips` file: one line with the report's type, app and system.
struct IPSHeader {
  var type = ""
  var version = ""
  var build = ""
  var system = ""
  var bundleID: String?
  var incident = ""
  var time = ""

  static let bodyIsMissing =
    "an .ips file has two JSON documents; the second one, with the call stacks, is missing"

  init(_ object: JSONObject) throws {
    for (key, value) in object where !value.isNull {
      switch key {
      case "bug_type": type = value.kind == .integer ? String(try value.integer()) : try value.text().kept
      case "app_version": version = try value.text().kept
      case "build_version": build = try value.text().kept
      case "os_version": system = try value.text().kept
      case "bundleID": bundleID = try value.text().kept
      case "incident_id": incident = try value.text().kept
      case "timestamp": time = try value.text().kept
      default: break
      }
    }
    if let refusal = AppleReportKind.refusal(ofType: type) {
      throw DecodingFailure(.unsupported, path: object["bug_type"]?.path ?? "", refusal)
    }
  }
}

/// The stored body of an `.ips` report: its JSON without personal data.
enum IPSBody {
  /// Writes the JSON without identifiers of the device or person, memory contents, and paths (which contain the user's
  /// name on a Mac). Free text is written only if `keepsText`.
  static func write(_ body: JSONObject, keepsText: Bool) -> PackedJSON {
    PackedJSON(body.value) { key, _, place in isPersonal(key) || (!keepsText && isText(key)) ? nil : place }
  }

  private static func isPersonal(_ key: BorrowedJSONString) -> Bool {
    switch key {
    case "crashReporterKey", "systemID", "deviceIdentifierForVendor", "userID", "storeInfo", "sleepWakeUUID",
      "bootSessionUUID", "procPath", "parentPath", "path", "instructionByteStream", "threadState", "vmregioninfo",
      "trialInfo", "storeCohortMetadata":
      true
    default: false
    }
  }

  /// Whether the key's value is text from the app or its libraries, or a system message that may quote one.
  private static func isText(_ key: BorrowedJSONString) -> Bool {
    switch key {
    case "asi", "asiBacktraces", "asiSignatures", "exceptionReason", "details", "reasons", "message", "reason",
      "composed_message", "format_string", "arguments", "ktriageinfo":
      true
    default: false
    }
  }
}
