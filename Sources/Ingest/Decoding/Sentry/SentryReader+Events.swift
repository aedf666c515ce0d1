import Core

extension SentryReader {
  /// Reads an `event` item: a crash, a hang or an error. Messages below the level of an error are ignored.
  mutating func readEvent(_ event: JSONObject) throws {
    let exceptions = SentryExceptions(event)
    let ownID = event.text("event_id").flatMap { SentryEventID($0) }
    eventID = eventID ?? ownID
    guard let kind = exceptions.kind(level: event.text("level")) else { return }
    try quota.add(.diagnostics, at: event.value)
    let time = event["timestamp"].flatMap { clock.instant($0) }
    if time == nil { assumedTimes += 1 }
    let diagnostic = Diagnostic(
      kind: kind, time: .instant(time ?? context.received),
      identity: (ownID ?? eventID)?.identity ?? event.value.contentHash(),
      exception: exceptions.details(keepsText: context.keepsExceptionText), quantity: exceptions.quantity(of: kind),
      user: Self.user(of: event), isInBackground: Self.isInBackground(event),
      calls: SentryCallTree.tree(of: event, exceptions, quota, symbols),
      body: SentryEventRedactor.redact(event, keepsText: context.keepsExceptionText))
    diagnostics.append((origin(of: event), diagnostic))
  }

  /// The user's id, email address or name, the first that is sent. Clients also send it as a session's user.
  private static func user(of event: JSONObject) -> String? {
    guard let user = event.object("user") else { return nil }
    if let id = user["id"], id.kind != .string { return user.name("id") }
    return Self.user(user.text("id")) ?? user.id("email") ?? user.id("username")
  }

  /// Whether the event states that the app was not in the foreground when it happened.
  private static func isInBackground(_ event: JSONObject) -> Bool {
    event.object("contexts")?.object("app")?.boolean("in_foreground") == false
  }

  func origin(of event: JSONObject) -> SentryOrigin {
    let contexts = event.object("contexts")
    let app = contexts?.object("app")
    // A session has no `dist`. If it were the build of an event whose release has none, the event would belong to
    // another build than its session.
    let release = event.text("release")?.kept
    let name = SentryRelease(
      release ?? app?.text("app_version")?.kept ?? "",
      dist: release == nil ? event.text("dist")?.kept ?? app?.text("app_build")?.kept ?? "" : "")
    return SentryOrigin(
      bundleID: name.package ?? app?.text("app_identifier")?.kept, release: name.release,
      environment: Self.environment(event.text("environment")), device: Self.device(contexts),
      attributes: context.attributes(ofSentry: event))
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

/// The exceptions of a Sentry event. The last one was thrown; earlier ones are its causes.
struct SentryExceptions {
  let thrown: JSONObject?
  private let mechanism: JSONObject?
  /// Whether any of the exceptions was not caught.
  private let isUnhandled: Bool

  init(_ event: JSONObject) {
    var last: JSONObject?
    var isUnhandled = false
    Self.forEach(event["exception"]) { exception in
      last = exception
      if exception.object("mechanism")?.boolean("handled") == false { isUnhandled = true }
    }
    thrown = last
    self.isUnhandled = isUnhandled
    mechanism = last?.object("mechanism")
  }

  /// The kind of diagnostic; nil for a message below the level of an error.
  func kind(level: BorrowedJSONString?) -> DiagnosticKind? {
    if let kind = mechanism?.text("type").flatMap(Self.kind(ofMechanism:)) { return kind }
    if isUnhandled || level.map({ $0 == "fatal" }) == true { return .crash }
    guard thrown == nil, let level else { return .error }
    switch level {
    case "debug", "info", "log", "warning", "sample": return nil
    default: return .error
    }
  }

  func details(keepsText: Bool) -> ExceptionDetails {
    let meta = mechanism?.object("meta")
    let mach = meta?.object("mach_exception")
    return ExceptionDetails(
      type: mach?.integer("exception"), code: mach?["code"].flatMap(MemoryAddress.read),
      signal: meta?.object("signal")?.integer("number"), name: thrown?.text("type")?.kept,
      reason: keepsText ? thrown?.text("value")?.kept : nil)
  }

  /// The hang's duration (ms), the CPU time (s) or the bytes written (B), from the text of a MetricKit exception such
  /// as `MXHangDiagnostic hangDuration:20 sec`; nil for other texts.
  func quantity(of kind: DiagnosticKind) -> Double? {
    guard kind == .hang || kind == .cpuException || kind == .diskWriteException, let text = thrown?.text("value"),
      text.count < DecodingLimits.textBytes
    else { return nil }
    if kind == .hang, let shortest = Self.shortestHang(text.string) { return shortest }
    let word = text.string.utf8
    guard let colon = word.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    // The first of several quantities: `totalCPUTime:2 sec totalSampledTime:5 sec`.
    let parts = word[word.index(after: colon)...].split(separator: UInt8(ascii: " "))
    guard parts.count >= 2, let number = Double(Substring(parts[0])), number >= 0,
      let unit = InputUnit(
        symbol: String(Substring(parts[1])).lowercased() == "sec" ? "s" : String(Substring(parts[1])))
    else { return nil }
    let target: MetricUnit = kind == .hang ? .milliseconds : kind == .cpuException ? .seconds : .bytes
    return unit.factor(into: target).map { number * $0 }.flatMap { $0 <= DecodingLimits.value ? $0 : nil }
  }

  /// The lower bound in the text of Sentry's detector (ms): `App hanging between 12.1 and 12.9 seconds.` Nil for other
  /// texts, such as `App hanging for at least 2000 ms.`, which has only the detector's limit.
  private static func shortestHang(_ text: String) -> Double? {
    let words = text.split(separator: " ", maxSplits: 8)
    guard let between = words.firstIndex(of: "between"), words.indices.contains(between + 1),
      words.last?.hasPrefix("second") ?? false, let seconds = Double(words[between + 1]), seconds >= 0,
      seconds * 1000 <= DecodingLimits.value
    else { return nil }
    return seconds * 1000
  }

  private static func kind(ofMechanism type: BorrowedJSONString) -> DiagnosticKind? {
    switch type {
    case "mx_hang_diagnostic", "AppHang": .hang
    case "mx_cpu_exception": .cpuException
    case "mx_disk_write_exception": .diskWriteException
    case "MXCrashDiagnostic", "mx_crash_diagnostic": .crash
    default: nil
    }
  }

  /// Visits each object of `{"values": […]}` or of a list, or a single object. Clients use all three forms.
  static func forEach(_ value: JSONValue?, _ visit: (JSONObject) -> Void) {
    guard let value else { return }
    if let object = value.objectOrNil {
      if let values = object.array("values") {
        for element in values { element.objectOrNil.map(visit) }
      } else if object["values"] == nil, !object.isEmpty {
        visit(object)
      }
    } else if let list = value.kind == .array ? value.arrayOrNil : nil {
      for element in list { element.objectOrNil.map(visit) }
    }
  }
}
