internal import JSON
internal import Telemetry

/// What an object is, judged by its keys alone.
enum DocumentKind {
  /// MetricKit's `MXMetricPayload`, iOS 13 to 26.
  case metricPayload
  /// MetricKit's `MXDiagnosticPayload`, iOS 14 to 26. Some clients merge the day's metrics into it.
  case diagnosticPayload(withMetrics: Bool)
  /// One of its diagnostics alone (`MXDiagnostic`), or a call-stack tree without anything else (`MXCallStackTree`).
  case diagnostic
  /// `MetricReport`, iOS 27.
  case metricReport
  /// `DiagnosticReport`, iOS 27.
  case diagnosticReport
  /// An `.ips` crash report of Apple's as one document: its body alone, or with the members of its header.
  case appleReport
  /// The header of one without its body.
  case appleReportHeader
  /// Plumb's own format.
  case native
  /// A client's own wrapper object. The documents are in one of these values.
  case envelope([JSONValue])
  /// A known kind that is not read; its name.
  case unsupported(String)
  case empty
  /// The first keys of an object that is none of these.
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

/// The telling keys that one walk over an object's members found.
private struct SeenKeys {
  private var hasMetrics = false
  private var hasTimeStamp = false
  private var hasCallStacks = false
  private var hasDiagnostics = false
  /// Arrays of diagnostics of an unknown kind.
  private var hasOtherDiagnostics = false
  private var hasDiagnostic = false
  private var hasTimeRange = false
  private var hasEntries = false
  private var hasOTLP = false
  private var hasBugType = false
  private var hasUsedImages = false
  private var hasThreads = false
  private(set) var hasNativeArray = false
  private(set) var hasApp = false
  private(set) var envelopes: [JSONValue] = []

  mutating func see(_ key: JSONText, _ value: JSONValue) {
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
    default: seeSuffix(key, value)
    }
  }

  private mutating func seeSuffix(_ key: JSONText, _ value: JSONValue) {
    if key.hasSuffix("Metrics") {
      hasMetrics = true
    } else if DiagnosticKind(payloadKey: key) != nil {
      hasDiagnostics = true
    } else if key.hasSuffix("Diagnostic") || key.hasSuffix("Diagnostics") || Self.isEnvelope(key) {
      hasDiagnostic = hasDiagnostic || key.hasSuffix("Diagnostic")
      hasOtherDiagnostics = hasOtherDiagnostics || key.hasSuffix("Diagnostics")
      // One too many is enough to be refused.
      if Self.canHoldDocuments(value), envelopes.count <= ReportDocumentReader.mostMembers { envelopes.append(value) }
    }
  }

  /// What Apple's own keys say; nil when they say nothing.
  var metricKitKind: DocumentKind? {
    if hasOTLP {
      return .unsupported("an OTLP request (its address is /v1/metrics or /v1/logs)")
    }
    if hasUsedImages, hasThreads { return .appleReport }
    if hasBugType { return hasThreads ? .appleReport : .appleReportHeader }
    if hasCallStacks { return .diagnostic }
    if hasTimeRange, hasEntries { return .metricReport }
    if hasTimeRange, hasDiagnostic { return .diagnosticReport }
    if hasDiagnostics { return .diagnosticPayload(withMetrics: hasMetrics) }
    if hasTimeStamp, hasOtherDiagnostics, !hasMetrics { return .diagnosticPayload(withMetrics: false) }
    return hasMetrics || hasTimeStamp ? .metricPayload : nil
  }

  private static func isEnvelope(_ key: JSONText) -> Bool {
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
