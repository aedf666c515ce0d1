internal import JSON
internal import Telemetry

/// The fields of a diagnostic beside its call stacks: the members of `diagnosticMetaData`, or in iOS 27 those of the
/// diagnostic itself.
struct DiagnosticMetaData {
  var origin = DiagnosticOrigin()
  private(set) var exception = ExceptionDetails()
  /// The kind that the keys indicate; nil when none does.
  private(set) var kind: DiagnosticKind?
  /// The duration or amount, in the unit of `Diagnostic.quantity`; nil when it is not stated.
  private(set) var quantity: Double?
  private(set) var rejectedSamples = 0
  private(set) var unknownUnits = 0
  /// Whether a hang blocked the main run loop. Before iOS 16 all did.
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
      default: if try !origin.read(key, value) { try readException(key, value, context) }
      }
    }
  }

  private mutating func see(_ kind: DiagnosticKind) {
    // Crashes and hangs may both have a signal, so a measured quantity decides.
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
      if value.kind == .string { exception.termination = try value.text().kept(Limits.terminationBytes) }
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

  /// The exception's details. If the language gave no name, it is that of the Mach exception.
  var facts: ExceptionDetails {
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

  /// The exception code. A code beyond Int64's range is often written as the negative number with the same bits.
  private static func code(_ value: JSONValue) throws -> UInt64? {
    guard value.kind == .integer || value.kind == .double else { throw value.mismatch("an integer") }
    if let code = value.unsignedIntegerOrNil { return code }
    return (value.integerOrNil).map { UInt64(bitPattern: Int64($0)) }
  }
}

/// A number with a unit in any form that MetricKit uses: `"20 sec"`, `20`, `{"value": 20, "unit": "s"}` with the unit
/// as a symbol or as `{"symbol": "s", …}`, or such an object nested in `value` or `average`.
struct MeasuredQuantity {
  /// The value in the requested unit, from 0 to `Limits.value`.
  let value: Double
  /// Whether the unit was missing or unknown, and the value was read in the usual one.
  let isAssumed: Bool

  /// The deepest nesting of objects that is followed.
  private static let deepest = 4

  /// Reads a quantity in `unit`; nil when there is no number, or one outside the limits. An unknown unit is read as
  /// `unit`.
  init?(_ value: JSONValue, _ unit: MetricUnit, isInstructions: Bool = false) throws {
    var number: Double?
    var symbol: JSONText?
    var at: JSONValue? = value
    var depth = 0
    while let here = at, depth < Self.deepest {
      at = nil
      depth += 1
      switch here.kind {
      case .integer, .double: number = try here.number()
      case .string:
        // A string contains its unit after the number.
        self.init(try here.text(), unit)
        return
      case .object:
        let object = try here.object()
        if let found = Self.symbol(object["unit"]) { symbol = found }
        at = object["value"] ?? object["average"] ?? object["averageValue"]
      default: return nil
      }
    }
    guard let number else { return nil }
    let scale = symbol.flatMap { Self.scale(of: $0, unit, isInstructions) }
    let assumed = isInstructions && symbol?.count ?? 0 > 0 ? 1000 : 1.0
    self.init(number * (scale ?? assumed), isAssumed: scale == nil && !(unit == .count && symbol == nil))
  }

  private init?(_ text: JSONText, _ unit: MetricUnit) {
    guard let found = ParsedMeasurement(text, MeasurementFormat(writtenFor: unit)) else { return nil }
    // Apple writes the bytes of disk-write reports in bytes, and all other sizes in kilobytes.
    self.init(found.isAssumed && unit == .bytes ? found.value / 1000 : found.value, isAssumed: found.isAssumed)
  }

  private init?(_ value: Double, isAssumed: Bool) {
    guard value >= 0, value <= Limits.value else { return nil }
    self.value = value
    self.isAssumed = isAssumed
  }

  /// The symbol of a unit, which is a string or an object with the member `symbol`; nil for anything else.
  static func symbol(_ value: JSONValue?) -> JSONText? {
    guard let value else { return nil }
    if let text = value.textOrNil { return text }
    return (value.objectOrNil)?["symbol"].flatMap { try? $0.text() }
  }

  /// The factor from the unit with this symbol to `unit`; nil for an unknown symbol.
  private static func scale(of symbol: JSONText, _ unit: MetricUnit, _ isInstructions: Bool) -> Double? {
    if isInstructions { return UnitWords.scale(of: symbol.bytes, .instructions) }
    if unit == .framesPerSecond { return symbol == "Hz" || symbol == "fps" ? 1 : nil }
    if unit == .millisecondsPerSecond, symbol == "" || symbol == "ratio" { return 1000 }
    if unit == .count { return 1 }
    let format = MeasurementFormat(writtenFor: unit)
    return UnitWords.scale(of: symbol.bytes, format.dimension).map { $0 / format.target }
  }
}
