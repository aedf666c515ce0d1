internal import JSON
internal import Telemetry

/// What a diagnostic says beside its call stacks: the members of `diagnosticMetaData`, or of the diagnostic itself in the
/// reports of iOS 27.
struct DiagnosticMetaData {
  var origin = DiagnosticOrigin()
  private(set) var exception = ExceptionFacts()
  /// The kind that the keys tell; nil when none does.
  private(set) var kind: DiagnosticKind?
  /// How long, how much; in the unit of `Diagnostic.quantity`.
  private(set) var quantity: Double?
  private(set) var rejectedSamples = 0
  private(set) var unknownUnits = 0
  /// A hang of the main run loop, as all were before iOS 16 named others.
  private(set) var isMainThreadHang = true
  private var category: String?

  /// Reads an element of a payload: its own members, and those of its `diagnosticMetaData`.
  mutating func read(element: JSONObject, _ context: DecodingContext) throws {
    try read(element, context)
    if let members = element["diagnosticMetaData"] { try read(members.object(), context) }
  }

  mutating func read(_ members: JSONObject, _ context: DecodingContext) throws {
    for (key, value) in members where !value.isNull {
      switch key {
      case "hangType":
        isMainThreadHang = try value.text() == "Main Runloop Hang"
        see(.hang)
      case "hangDuration": try readQuantity(value, .seconds, factor: 1000, .hang)
      case "totalCPUTime": try readQuantity(value, .seconds, factor: 1, .cpuException)
      case "totalSampledTime": see(.cpuException)
      case "writesCaused", "totalWritesCaused", "totalBytesWritten":
        try readQuantity(value, .bytes, factor: 1, .diskWriteException)
      case "launchDuration": try readQuantity(value, .milliseconds, factor: 1, .launchFailure)
      default: if try !origin.read(key, value) { try readException(key, value, context) }
      }
    }
  }

  private mutating func see(_ kind: DiagnosticKind) {
    // Crashes and hangs may both name a signal: the measured ones know better.
    if self.kind == nil || self.kind == .crash { self.kind = kind }
  }

  private mutating func readQuantity(
    _ value: JSONValue, _ unit: MetricUnit, factor: Double, _ kind: DiagnosticKind
  ) throws {
    see(kind)
    guard let found = try MeasuredQuantity(value, unit) else {
      rejectedSamples += 1
      return
    }
    if found.isAssumed { unknownUnits += 1 }
    quantity = found.value * factor
  }

  private mutating func readException(_ key: JSONText, _ value: JSONValue, _ context: DecodingContext) throws {
    switch key {
    case "exceptionType":
      if value.kind == .string {
        exception.name = try value.text().kept
      } else {
        exception.type = try? Self.whole(value)
      }
    case "exceptionCode": exception.code = try? Self.code(value)
    case "signal": exception.signal = try? Self.whole(value)
    case "terminationReason":
      if value.kind == .string { exception.termination = try value.text().termination }
    case "terminationCategory": category = try value.text().kept
    case "objectiveCexceptionReason", "objectiveCExceptionReason", "exceptionReason":
      try readObjectiveC(value, context)
      return
    default: return
    }
    if kind == nil { kind = .crash }
  }

  private mutating func readObjectiveC(_ value: JSONValue, _ context: DecodingContext) throws {
    if kind == nil { kind = .crash }
    guard value.kind == .object else {
      if context.keepsExceptionText, let text = value.textOrNil {
        exception.reason = text.kept(Limits.exceptionBytes)
      }
      return
    }
    let reason = try value.object()
    for name in [reason["className"], reason["exceptionType"], reason["exceptionName"]] {
      if let text = try name?.text(), text.count > 0 { exception.name = text.kept }
    }
    guard context.keepsExceptionText else { return }
    exception.reason = try reason["composedMessage"]?.text().kept(Limits.exceptionBytes)
  }

  /// All that is known of the exception, with the name of Mach's type where the language gave none.
  var facts: ExceptionFacts {
    var facts = exception
    if facts.name == nil { facts.name = facts.type.flatMap { MachException.name(ofType: $0) } }
    if let category {
      facts.termination = facts.termination.map { "\(category): \($0)" } ?? category
    }
    return facts
  }

  private static func whole(_ value: JSONValue) throws -> Int? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    return value.integerOrNil
  }

  /// A code beyond the range of Int64 is often written as the negative number with the same bits.
  private static func code(_ value: JSONValue) throws -> UInt64? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    if let code = value.unsignedIntegerOrNil { return code }
    return (value.integerOrNil).map { UInt64(bitPattern: Int64($0)) }
  }
}
