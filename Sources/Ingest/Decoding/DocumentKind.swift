internal import Core

/// The kind of a JSON document, determined by its keys alone.
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
  /// An Apple crash report (`.ips`) as one document: its body alone, or merged with the members of its header.
  case appleReport
  /// The header of an `.ips` crash report without its body.
  case appleReportHeader
  /// Plumb's own format.
  case native
  /// A client's own wrapper object, with the values that may contain documents.
  case envelope([JSONValue])
  /// A kind of document that is known but not read, with its description.
  case unsupported(String)
  case empty
  /// A JSON object of no known kind, with its first keys for the error message.
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

  /// The kind of an Apple document or OTLP request; nil when no key indicates one.
  var metricKitKind: DocumentKind? {
    if hasOTLP {
      return .unsupported("an OTLP request (its address is /v1/metrics, /v1/logs or /v1/traces)")
    }
    if hasProductData { return .unsupported("a document of App Store Connect (`plumb import` takes it)") }
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
