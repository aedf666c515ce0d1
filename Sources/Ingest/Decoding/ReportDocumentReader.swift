import Core

/// Reads a parsed JSON text: a document, an array of documents, or a client's envelope around them.
struct ReportDocumentReader {
  let context: DecodingContext
  var reports: [Report] = []
  let quota: DecodingQuota
  private let names: SignpostNames

  /// The most levels of nested envelopes. Deeper nesting is refused.
  private static let deepestEnvelope = 4

  init(context: DecodingContext, quota: DecodingQuota, names: SignpostNames) {
    self.context = context
    self.quota = quota
    self.names = names
  }

  mutating func read(_ root: JSONValue) throws {
    try read(root, EnvelopeDefaults(context), depth: 0)
  }

  mutating func read(_ value: JSONValue, _ defaults: EnvelopeDefaults, depth: Int) throws {
    switch value.kind {
    case .array:
      let array = try value.array()
      if array.isEmpty { throw DecodingFailure(.empty, path: value.path, "the array has no documents") }
      for element in array { try read(document: element, defaults, depth: depth) }
    case .object: try read(document: value, defaults, depth: depth)
    case .string where depth > 0: try read(text: value.text(), at: value, defaults, depth: depth)
    default: throw value.mismatch("an object or an array of objects")
    }
  }

  private mutating func read(document value: JSONValue, _ defaults: EnvelopeDefaults, depth: Int) throws {
    // An array element may be a payload that a client serialised to a string.
    if value.kind == .string, depth > 0 { return try read(value, defaults, depth: depth) }
    let object = try value.object()
    switch DocumentKind(of: object) {
    case .metricPayload:
      let report = try MetricPayloadReader.report(of: object, context, quota, names)
      try append(depth == 0 ? report : defaults.filling(report), value)
    case .appleReport: try append(IPSReader.report(of: object, try IPSHeader(object), context, quota), value)
    case .appleReportHeader:
      _ = try IPSHeader(object)
      throw DecodingFailure(.value, path: value.path, IPSHeader.bodyIsMissing)
    case .native: try append(NativeReader.report(of: object, context, quota), value)
    case .metricReport: try append(MetricReportReader.report(of: object, defaults, context, quota, names), value)
    case .diagnosticPayload(let withMetrics):
      if withMetrics {
        try append(defaults.filling(MetricPayloadReader.report(of: object, context, quota, names)), value)
      }
      try read(diagnostics: value, defaults) { try $0.read(payload: object) }
    case .diagnostic: try read(diagnostics: value, defaults) { try $0.read(diagnostic: object) }
    case .diagnosticReport: try read(diagnostics: value, defaults) { try $0.read(report: object) }
    case .envelope(let members):
      guard depth < Self.deepestEnvelope else { throw value.failure("envelopes are nested too deeply") }
      try read(members: members, defaults.inside(object), depth: depth + 1)
    case .unsupported(let name):
      throw DecodingFailure(.unsupported, path: value.path, "\(name) is recognised but not supported here")
    case .empty: throw DecodingFailure(.empty, path: value.path, "the document has no members")
    case .unknown(let keys):
      throw DecodingFailure(
        .unsupported, path: value.path,
        "expected MetricKit's, Apple's .ips or native JSON, found an object with the keys \(keys.joined(separator: ", "))"
      )
    }
  }

  private mutating func read(
    diagnostics value: JSONValue, _ defaults: EnvelopeDefaults, _ body: (inout DiagnosticPayloadReader) throws -> Void
  ) throws {
    var reader = DiagnosticPayloadReader(context: context, defaults: defaults, quota: quota)
    try body(&reader)
    for report in reader.reports { try append(report, value) }
  }

  /// Reads a payload that is a string of JSON in an envelope.
  private mutating func read(text: BorrowedJSONString, at value: JSONValue, _ defaults: EnvelopeDefaults, depth: Int)
    throws
  {
    var inner = ReportDocumentReader(context: context, quota: quota, names: names)
    try Self.failures(inside: value.path) {
      try JSONParser().withDocument(UnsafeRawBufferPointer(text.bytes)) { try inner.read($0, defaults, depth: depth) }
    }
    for report in inner.reports { try append(report, value) }
  }

  /// The header of an `.ips` file whose body is a separate document; nil for any other document.
  func crashHeader(_ root: JSONValue) throws -> IPSHeader? {
    guard root.kind == .object, case .appleReportHeader = DocumentKind(of: try root.object()) else { return nil }
    return try IPSHeader(root.object())
  }

  /// Reads the body of an `.ips` file with the header that preceded it.
  mutating func read(crash body: JSONObject, _ header: IPSHeader) throws {
    try append(IPSReader.report(of: body, header, context, quota), body.value)
  }

  private mutating func append(_ report: Report, _ value: JSONValue) throws {
    guard reports.count < DecodingLimits.documents else {
      throw value.failure("a request may have at most \(DecodingLimits.documents) documents; split it")
    }
    reports.append(report)
  }

  /// Runs `body` and prefixes the path of its errors with `path`.
  static func failures(inside path: @autoclosure () -> String, of body: () throws -> Void) throws(DecodingFailure) {
    do {
      try body()
    } catch let failure as DecodingFailure {
      throw failure.inside(path())
    } catch let error as JSONError {
      throw DecodingFailure(error).inside(path())
    } catch {
      throw DecodingFailure(.syntax, path: path(), "could not be read: \(error)")
    }
  }
}

extension ReportDocumentReader {
  /// The most members of an envelope that may contain documents. There are fewer keys for them.
  static let mostMembers = 64

  /// Reads an envelope's members. If one contains a document, members without one are ignored.
  mutating func read(members: [JSONValue], _ defaults: EnvelopeDefaults, depth: Int) throws {
    if members.count == 1 { return try read(members[0], defaults, depth: depth) }
    guard members.count <= Self.mostMembers else {
      throw members[Self.mostMembers].failure("an envelope may have at most \(Self.mostMembers) members with documents")
    }
    var first: DecodingFailure?
    var hasDocument = false
    for member in members {
      let before = reports.count
      do throws(DecodingFailure) {
        try failing(at: member) { reader throws in try reader.read(member, defaults, depth: depth) }
        hasDocument = true
      } catch {
        guard error.saysNoDocument(at: member), reports.count == before else { throw error }
        first = first ?? error
      }
    }
    if !hasDocument, let first { throw first }
  }

  private mutating func failing(at member: JSONValue, _ body: (inout Self) throws -> Void) throws(DecodingFailure) {
    do {
      try body(&self)
    } catch let failure as DecodingFailure {
      throw failure
    } catch let error as JSONError {
      throw DecodingFailure(error.located(in: member))
    } catch {
      throw DecodingFailure(.syntax, "the body could not be read: \(error)")
    }
  }
}

extension DecodingFailure {
  /// Whether the failure means that `member` is not a document, rather than a document with an error in it.
  fileprivate func saysNoDocument(at member: JSONValue) -> Bool {
    switch reason {
    case .unsupported, .empty: return true
    case .syntax: return (member.textOrNil)?.looksLikeJSON == false
    case .type: return path == member.path || path == member.path + "[0]"
    case .value: return false
    }
  }
}

extension BorrowedJSONString {
  /// Whether the text begins like a JSON object or array.
  fileprivate var looksLikeJSON: Bool {
    let first = bytes.first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}

/// The kind of a JSON document, which its keys determine.
enum DocumentKind {
  /// MetricKit's `MXMetricPayload`, iOS 13 to 26.
  case metricPayload
  /// MetricKit's `MXDiagnosticPayload`, iOS 14 to 26. Some clients merge the day's metrics into it.
  case diagnosticPayload(withMetrics: Bool)
  /// A single diagnostic (`MXDiagnostic`), or a call-stack tree alone (`MXCallStackTree`).
  case diagnostic
  /// iOS 27's `MetricReport`.
  case metricReport
  /// iOS 27's `DiagnosticReport`.
  case diagnosticReport
  /// An Apple crash report (`.ips`) as one document: only its body, or merged with the members of its header.
  case appleReport
  /// The header of an `.ips` crash report without its body.
  case appleReportHeader
  /// Plumb's own format.
  case native
  /// A client's own wrapper object, with the values that may contain documents.
  case envelope([JSONValue])
  /// A recognised but unsupported kind of document, with its description.
  case unsupported(String)
  case empty
  /// A JSON object of unknown kind, with its first keys for the error message.
  case unknown(keys: [String])

  init(of object: JSONObject) {
    var keys = SeenKeys()
    for (key, value) in object { keys.see(key, value) }
    if let kind = keys.metricKitKind {
      self = kind
    } else if keys.hasNativeArray {
      self = .native
    } else if !keys.envelopes.isEmpty {
      self = .envelope(keys.envelopes)
    } else if keys.hasApp {
      self = .native
    } else {
      self = object.isEmpty ? .empty : .unknown(keys: object.prefix(5).map { JSONPath.quoted($0.key.string) })
    }
  }
}

/// The distinguishing keys found in one pass over an object's members.
private struct SeenKeys {
  private var hasMetrics = false
  private var hasTimeStamp = false
  private var hasCallStacks = false
  private var hasDiagnostics = false
  /// Whether the object has arrays that look like diagnostics of an unknown kind.
  private var hasOtherDiagnostics = false
  private var hasDiagnostic = false
  private var hasTimeRange = false
  private var hasEntries = false
  private var hasOTLP = false
  private var hasProductData = false
  private var hasBugType = false
  private var hasUsedImages = false
  private var hasThreads = false
  private(set) var hasNativeArray = false
  private(set) var hasApp = false
  private(set) var envelopes: [JSONValue] = []

  mutating func see(_ key: BorrowedJSONString, _ value: JSONValue) {
    switch key {
    case "timeStampBegin", "timeStampEnd": hasTimeStamp = true
    case "timeRange": hasTimeRange = true
    case "app": hasApp = value.kind == .object
    case "sessions", "measurements", "histograms", "counters", "crashes":
      hasNativeArray = hasNativeArray || !value.isNull
    case "callStackTree", "callStacks", "callStackThreads", "diagnosticMetaData":
      hasCallStacks = hasCallStacks || !value.isNull
    case "intervalEntries", "stateEntries": hasEntries = true
    case "bug_type": hasBugType = true
    case "usedImages": hasUsedImages = true
    case "threads": hasThreads = value.kind == .array
    case "resourceMetrics", "resourceLogs", "resourceSpans": hasOTLP = true
    case "productData": hasProductData = true
    default: seeSuffix(key, value)
    }
  }

  private mutating func seeSuffix(_ key: BorrowedJSONString, _ value: JSONValue) {
    if key.hasSuffix("Metrics") {
      hasMetrics = true
    } else if DiagnosticKind(payloadKey: key) != nil {
      hasDiagnostics = true
    } else if key.hasSuffix("Diagnostic") || key.hasSuffix("Diagnostics") || Self.isEnvelope(key) {
      hasDiagnostic = hasDiagnostic || key.hasSuffix("Diagnostic")
      hasOtherDiagnostics = hasOtherDiagnostics || key.hasSuffix("Diagnostics")
      // One value beyond the limit is kept, so that the document is refused later.
      if Self.canHoldDocuments(value), envelopes.count <= ReportDocumentReader.mostMembers { envelopes.append(value) }
    }
  }

  /// The kind of an Apple document or OTLP request; nil if no key indicates one.
  var metricKitKind: DocumentKind? {
    if hasOTLP {
      return .unsupported("an OTLP request (send it to /v1/metrics, /v1/logs or /v1/traces)")
    }
    if hasProductData { return .unsupported("a document of App Store Connect (use `plumb import`)") }
    if hasUsedImages, hasThreads { return .appleReport }
    if hasBugType { return hasThreads ? .appleReport : .appleReportHeader }
    if hasCallStacks { return .diagnostic }
    if hasTimeRange, hasEntries { return .metricReport }
    if hasTimeRange, hasDiagnostic { return .diagnosticReport }
    if hasDiagnostics { return .diagnosticPayload(withMetrics: hasMetrics) }
    if hasTimeStamp, hasOtherDiagnostics, !hasMetrics { return .diagnosticPayload(withMetrics: false) }
    return hasMetrics || hasTimeStamp ? .metricPayload : nil
  }

  private static func isEnvelope(_ key: BorrowedJSONString) -> Bool {
    switch key {
    case "payload", "payloads", "data", "raw", "body", "json", "report", "metric", "metrics", "diagnostic",
      "diagnostics", "mxMetricPayload", "mxDiagnosticPayload", "items", "reports", "metricPayload", "metricPayloads",
      "diagnosticPayload", "diagnosticPayloads":
      true
    default: false
    }
  }

  private static func canHoldDocuments(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .object, .array, .string: true
    default: false
    }
  }
}
