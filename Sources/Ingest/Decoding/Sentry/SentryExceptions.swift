internal import Core

/// The exceptions of a Sentry event. The last one was thrown; those before it are its causes.
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
      type: mach?.integer("exception"), code: mach?["code"].flatMap(SentryAddress.read),
      signal: meta?.object("signal")?.integer("number"), name: thrown?.text("type")?.kept,
      reason: keepsText ? thrown?.text("value")?.kept : nil)
  }

  /// The hang's duration (ms), the CPU time (s) or the bytes written (B) from the text of a MetricKit exception, such
  /// as `MXHangDiagnostic hangDuration:20 sec`; nil for any other.
  func quantity(of kind: DiagnosticKind) -> Double? {
    guard kind == .hang || kind == .cpuException || kind == .diskWriteException, let text = thrown?.text("value"),
      text.count < DecodingLimits.textBytes
    else { return nil }
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

  private static func kind(ofMechanism type: BorrowedJSONString) -> DiagnosticKind? {
    switch type {
    case "mx_hang_diagnostic", "AppHang": .hang
    case "mx_cpu_exception": .cpuException
    case "mx_disk_write_exception": .diskWriteException
    case "MXCrashDiagnostic", "mx_crash_diagnostic": .crash
    default: nil
    }
  }

  /// Visits each object of `{"values": […]}`, of a list, or a single object: all three forms are in use by clients.
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
