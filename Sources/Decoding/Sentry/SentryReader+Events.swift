internal import JSON
internal import Telemetry

extension SentryReader {
  /// An `event` item: a crash, a hang or an error. A message without an exception below the level of an error is none.
  mutating func readEvent(_ event: JSONObject) throws {
    let exceptions = SentryExceptions(event)
    let ownID = event.text("event_id").flatMap { SentryEventID($0) }
    eventID = eventID ?? ownID
    guard let kind = exceptions.kind(level: event.text("level")) else { return }
    try load.add(.diagnostics, at: event.value)
    let time = event["timestamp"].flatMap { clock.instant($0) }
    if time == nil { assumedTimes += 1 }
    let diagnostic = Diagnostic(
      kind: kind, time: .instant(time ?? context.received),
      identity: (ownID ?? eventID)?.identity ?? event.value.contentHash(),
      exception: exceptions.facts(keepsText: context.keepsExceptionText), quantity: exceptions.quantity(of: kind),
      user: Self.user(of: event),
      calls: SentryCalls.tree(of: event, exceptions, load),
      body: SentryEventBody.write(event, keepsText: context.keepsExceptionText))
    diagnostics.append((Self.origin(of: event), diagnostic))
  }

  /// What clients call a session's user too: the id, else the address or name they were given.
  private static func user(of event: JSONObject) -> String? {
    guard let user = event.object("user") else { return nil }
    if let id = user["id"], id.kind != .string { return user.name("id") }
    return Self.user(user.text("id")) ?? user.id("email") ?? user.id("username")
  }

  private static func origin(of event: JSONObject) -> SentryOrigin {
    let contexts = event.object("contexts")
    let app = contexts?.object("app")
    let name = SentryRelease(
      event.text("release")?.kept ?? app?.text("app_version")?.kept ?? "",
      dist: event.text("dist")?.kept ?? app?.text("app_build")?.kept ?? "")
    return SentryOrigin(
      bundleID: name.package ?? app?.text("app_identifier")?.kept, release: name.release,
      environment: environment(event.text("environment")), device: device(contexts))
  }

  private static func device(_ contexts: JSONObject?) -> Device {
    let device = contexts?.object("device")
    let models = [device?.text("model")?.kept, device?.text("model_id")?.kept]
    let system = contexts?.object("os")
    let name = system?.text("name")?.kept ?? ""
    return Device(
      model: models.compactMap { $0 }.first { !$0.isEmpty } ?? "",
      system: OperatingSystem(
        name: name == "iPhone OS" ? "iOS" : name, version: system?.text("version")?.kept ?? "",
        build: system?.text("build")?.kept ?? ""))
  }
}

/// An event's id: a UUID of 32 hexadecimal digits, with or without dashes.
struct SentryEventID: Equatable {
  /// 32 lower-case hexadecimal digits.
  let text: String
  /// What makes an event the same one when it comes again.
  let identity: UInt64

  /// Nil for another text, and for the id that is all zeros.
  init?(_ text: JSONText) {
    guard text.count == 32 || text.count == 36 else { return nil }
    let digits = text.bytes.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32, let high = Self.number(digits[..<16]), let low = Self.number(digits[16...]),
      high | low != 0
    else { return nil }
    self.text = String(decoding: digits, as: UTF8.self).lowercased()
    let product = (high ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: low | 1)
    identity = product.high ^ product.low ^ low
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      switch digit {
      case 48...57: value = value << 4 | UInt64(digit - 48)
      case 65...70: value = value << 4 | UInt64(digit - 55)
      case 97...102: value = value << 4 | UInt64(digit - 87)
      default: return nil
      }
    }
    return value
  }
}

/// The parts of a Sentry release name: `com.example.shop@4.2.0+1234`.
struct SentryRelease {
  /// `com.example.shop`; nil when the name has no such part.
  let package: String?
  let release: Release

  /// Reads `PACKAGE@VERSION+BUILD`, where package and build may be missing. `dist` is the build where the name has none.
  init(_ name: String, dist: String = "") {
    let bytes = name.utf8
    var rest = name[...]
    var package: String?
    if let at = bytes.lastIndex(of: UInt8(ascii: "@")), bytes.index(after: at) != name.endIndex {
      package = at == name.startIndex ? nil : String(name[..<at])
      rest = name[bytes.index(after: at)...]
    }
    self.package = package
    if let plus = rest.utf8.firstIndex(of: UInt8(ascii: "+")), plus != rest.startIndex {
      let build = String(rest[rest.utf8.index(after: plus)...])
      release = Release(version: String(rest[..<plus]), build: build.isEmpty ? dist : build)
    } else {
      release = Release(version: String(rest), build: dist)
    }
  }
}

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
