internal import Core

/// Reads Plumb's native format, for values that an app measured itself, with or without MetricKit.
///
/// All arrays and members are optional unless documented as required. A null member counts as absent. Unknown members
/// are skipped.
struct NativeReader {
  let context: DecodingContext
  let origin: DiagnosticOrigin
  var installation: String?
  var measurements: [Measurement] = []
  var sessions: [SessionUpdate] = []
  var diagnostics: [Diagnostic] = []
  var rejectedSamples = 0
  let quota: DecodingQuota
  /// The start times of sessions by session id. Crashes, which are read last, use them.
  var starts: [String: Timestamp] = [:]

  static func report(of document: JSONObject, _ context: DecodingContext, _ quota: DecodingQuota) throws -> Report {
    let header = try NativeHeader(document, context)
    let origin = DiagnosticOrigin(
      environment: header.environment, bundleID: header.bundleID, release: header.release, device: header.device)
    var reader = NativeReader(context: context, origin: origin, installation: header.installation, quota: quota)
    var crashes: JSONValue?
    for (key, value) in document where !value.isNull {
      switch key {
      case "sessions": for item in try value.array() { try reader.readSession(item.object()) }
      case "measurements": for item in try value.array() { try reader.readMeasurement(item.object()) }
      case "histograms": for item in try value.array() { try reader.readHistogram(item.object()) }
      case "counters": for item in try value.array() { try reader.readCounter(item.object()) }
      case "crashes": crashes = value
      default: break
      }
    }
    // Crashes are read after the sessions, because they use the sessions' start times.
    if let crashes {
      reader.starts = Dictionary(reader.sessions.map { ($0.id, $0.started) }) { first, _ in first }
      for item in try crashes.array() { try reader.readCrash(item.object()) }
    }
    return Report(
      source: .native, environment: header.environment, bundleID: header.bundleID, release: header.release,
      device: header.device, attributes: header.attributes, firstRun: header.firstRun,
      measurements: reader.measurements, sessions: reader.sessions, diagnostics: reader.diagnostics,
      rejectedSamples: reader.rejectedSamples)
  }

  /// A value that can be stored. Nil if it is negative, beyond `DecodingLimits.value` or null (often written for NaN),
  /// which counts it as rejected.
  mutating func sample(_ value: JSONValue, factor: Double) throws -> Double? {
    let number = value.isNull ? .nan : try value.number() * factor
    guard number >= 0, number <= DecodingLimits.value else {
      rejectedSamples += 1
      return nil
    }
    return number
  }

  /// A time. The time of receipt replaces a missing time or one in the future.
  func time(_ value: JSONValue?) throws -> Timestamp {
    guard let value else { return context.received }
    return try context.nativeTime(value)
  }
}

extension DecodingContext {
  /// A time of a native document. The time of receipt replaces one in the future.
  fileprivate func nativeTime(_ value: JSONValue) throws -> Timestamp {
    switch value.kind {
    case .string:
      let text = try value.text()
      guard text.count <= 64, let time = Timestamp(iso: text.bytes) else {
        throw value.failure("expected a time such as \"2026-11-20T10:00:00Z\", found \(JSONPath.quoted(text.string))")
      }
      return clamp(time)
    case .integer, .double:
      guard let time = try TimestampParsing.timestamp(value.number()) else {
        throw value.failure("expected seconds or milliseconds since 1970")
      }
      return clamp(time)
    default: throw value.mismatch("a time: a string such as \"2026-11-20T10:00:00Z\", or a number")
    }
  }
}

extension JSONObject {
  /// The first member with this key, even if it is null. Throws an error with its path if there is none.
  func requiredOrNull(_ key: StaticString) throws -> JSONValue {
    for member in self where member.key == key { return member.value }
    throw missing(key)
  }
}

/// The app, device and installation of a native document.
struct NativeHeader {
  private(set) var environment = "production"
  private(set) var installation: String?
  private(set) var bundleID: String?
  private(set) var release = Release(version: "")
  private(set) var device = Device(model: "", system: OperatingSystem(name: "", version: ""))

  /// The values of the app's attributes.
  private(set) var attributes: [AppAttribute] = []
  private(set) var firstRun: FirstRun?

  init(_ document: JSONObject, _ context: DecodingContext) throws {
    for (key, value) in document where !value.isNull {
      switch key {
      case "app": try readApp(value.object(), context)
      case "device": try readDevice(value.object())
      case "environment": try readEnvironment(value.text())
      case "installation": installation = try value.text().id
      case "attributes": attributes = try context.attributes(in: value.object())
      default: break
      }
    }
  }

  private mutating func readApp(_ app: JSONObject, _ context: DecodingContext) throws {
    var (first, isCurrent): (Timestamp?, Bool) = (nil, false)
    for (key, value) in app where !value.isNull {
      switch key {
      case "bundle_id": bundleID = try value.text().kept
      case "version": release.version = try value.text().kept
      case "build": release.build = try value.text().kept
      case "first_run": first = try context.nativeTime(value)
      case "in_first_run": isCurrent = try value.boolean()
      default: break
      }
    }
    if first != nil || isCurrent { firstRun = FirstRun(at: first ?? context.received, isCurrent: isCurrent) }
  }

  private mutating func readDevice(_ device: JSONObject) throws {
    for (key, value) in device where !value.isNull {
      switch key {
      case "model": self.device.model = try value.text().kept
      case "os": self.device.system = try OperatingSystem(parsing: value.text().kept)
      default: break
      }
    }
  }

  private mutating func readEnvironment(_ text: BorrowedJSONString) throws {
    if text.count > 0 { environment = text.kept }
  }
}

extension NativeReader {
  /// Reads one session. `status` is required. A session without an id is identified by its other members.
  mutating func readSession(_ session: JSONObject) throws {
    try quota.add(.sessions, at: session.value)
    let outcome = try Self.outcome(session.required("status"))
    let started = try time(session["started"])
    let sequence = try session["seq"].map { try Int64($0.integer()) }
    let updated = try session["at"].map { try time($0) }
    let duration = try session["duration"].flatMap { try sample($0, factor: 1) }
    let id = try session["id"].map { try Self.id($0) }
    sessions.append(
      SessionUpdate(
        id: id ?? "\(installation ?? "")|\(started.milliseconds)|\(outcome.name)|\(sequence ?? -1)|\(duration ?? -1)",
        outcome: outcome, started: started, sequence: sequence, updated: updated, user: installation,
        duration: duration))
  }

  static func id(_ value: JSONValue) throws -> String {
    let id = try value.text().id
    if id.isEmpty { throw value.failure("an id cannot be empty") }
    return id
  }

  private static func outcome(_ value: JSONValue) throws -> SessionOutcome {
    let status = try value.text()
    switch status {
    case "ok", "exited": return .healthy
    case "errored": return .errored
    case "unhandled": return .unhandled
    case "abnormal": return .abnormal
    case "crashed": return .crashed
    default:
      throw value.failure(
        "expected ok, exited, errored, unhandled, abnormal or crashed, found \(JSONPath.quoted(status.string))")
    }
  }
}
