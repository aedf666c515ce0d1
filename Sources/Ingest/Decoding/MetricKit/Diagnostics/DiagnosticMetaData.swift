internal import Core

/// A diagnostic's fields other than its call stacks: the members of `diagnosticMetaData`, or in iOS 27 of the
/// diagnostic itself.
struct DiagnosticMetaData {
  var origin = DiagnosticOrigin()
  private(set) var exception = ExceptionDetails()
  /// The kind of diagnostic that a member's name implies, such as a hang for `hangDuration`; nil if no name does.
  private(set) var kind: DiagnosticKind?
  /// The duration or amount, in the unit of `Diagnostic.quantity`; nil if not stated.
  private(set) var quantity: Double?
  private(set) var rejectedSamples = 0
  private(set) var unknownUnits = 0
  /// Whether a hang blocked the main run loop. Before iOS 16 every hang did.
  private(set) var isMainThreadHang = true
  private var category: String?

  /// Reads an element of a payload: its own members and those of its `diagnosticMetaData`.
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
      case "regionFormat": origin.attributes = context.region(value.textOrNil?.kept).completed(by: origin.attributes)
      default: if try !origin.read(key, value) { try readException(key, value, context) }
      }
    }
  }

  private mutating func see(_ kind: DiagnosticKind) {
    // Crashes and hangs may both have a signal. A measured quantity decides.
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

  private mutating func readException(_ key: BorrowedJSONString, _ value: JSONValue, _ context: DecodingContext) throws
  {
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
      if value.kind == .string { exception.termination = try value.text().kept(DecodingLimits.terminationBytes) }
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
        exception.reason = text.kept(DecodingLimits.exceptionBytes)
      }
      return
    }
    let reason = try value.object()
    for name in [reason["className"], reason["exceptionType"], reason["exceptionName"]] {
      if let text = try name?.text(), text.count > 0 { exception.name = text.kept }
    }
    guard context.keepsExceptionText else { return }
    exception.reason = try reason["composedMessage"]?.text().kept(DecodingLimits.exceptionBytes)
  }

  /// The exception's details. Without a name from the language, the Mach exception's name is used.
  var exceptionDetails: ExceptionDetails {
    var exceptionDetails = exception
    if exceptionDetails.name == nil {
      exceptionDetails.name = exceptionDetails.type.flatMap { MachException.name(ofType: $0) }
    }
    if let category {
      exceptionDetails.termination = exceptionDetails.termination.map { "\(category): \($0)" } ?? category
    }
    return exceptionDetails
  }

  private static func whole(_ value: JSONValue) throws -> Int? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    return value.integerOrNil
  }

  /// The exception code. Clients often write a code above Int64's range as the negative number with the same bits.
  private static func code(_ value: JSONValue) throws -> UInt64? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    if let code = value.unsignedIntegerOrNil { return code }
    return (value.integerOrNil).map { UInt64(bitPattern: Int64($0)) }
  }
}
