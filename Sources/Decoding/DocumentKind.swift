internal import JSON

/// What an object is, judged by its keys alone.
enum DocumentKind {
  /// MetricKit's `MXMetricPayload`, iOS 13 to 26.
  case metricPayload
  /// Plumb's own format.
  case native
  /// A client's own object around documents, which stand in this member.
  case envelope(JSONValue)
  /// A known kind that is not read; its name.
  case unsupported(String)
  case empty
  /// The first keys of an object that is none of these.
  case unknown(keys: [String])

  init(of object: JSONObject) {
    var keys = SeenKeys()
    for (key, value) in object { keys.see(key, value) }
    if let name = keys.unsupportedName {
      self = .unsupported(name)
    } else if keys.isMetricPayload {
      self = .metricPayload
    } else if keys.hasNativeArray {
      self = .native
    } else if let envelope = keys.envelope {
      self = .envelope(envelope)
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
  private var hasMetaData = false
  private var hasTimeStamp = false
  private var hasCallStackTree = false
  private var hasCallStacks = false
  private var hasDiagnostics = false
  private var hasDiagnostic = false
  private var hasTimeRange = false
  private var hasEntries = false
  private var hasOTLP = false
  private(set) var hasNativeArray = false
  private(set) var hasApp = false
  private(set) var envelope: JSONValue?

  mutating func see(_ key: JSONText, _ value: JSONValue) {
    switch key {
    case "metaData": hasMetaData = true
    case "timeStampBegin", "timeStampEnd": hasTimeStamp = true
    case "timeRange": hasTimeRange = true
    case "app": hasApp = value.kind == .object
    case "sessions", "measurements", "histograms", "counters", "crashes":
      hasNativeArray = hasNativeArray || !value.isNull
    case "callStackTree": hasCallStackTree = true
    case "callStacks": hasCallStacks = true
    case "intervalEntries", "stateEntries": hasEntries = true
    case "resourceMetrics", "resourceLogs", "resourceSpans": hasOTLP = true
    default: seeSuffix(key, value)
    }
  }

  private mutating func seeSuffix(_ key: JSONText, _ value: JSONValue) {
    if key.hasSuffix("Metrics") {
      hasMetrics = true
    } else if key.hasSuffix("Diagnostics") {
      hasDiagnostics = true
    } else if key.hasSuffix("Diagnostic") {
      hasDiagnostic = true
    } else if envelope == nil, Self.isEnvelope(key), Self.canHoldDocuments(value) {
      envelope = value
    }
  }

  var isMetricPayload: Bool { hasMetrics || hasTimeStamp }

  var unsupportedName: String? {
    if hasOTLP { return "an OTLP request (its address is /v1/metrics or /v1/logs)" }
    if hasCallStackTree { return "a single MetricKit diagnostic (MXDiagnostic)" }
    if hasCallStacks { return "a call-stack tree (MXCallStackTree)" }
    if hasTimeRange, hasEntries { return "MetricKit's MetricReport (iOS 27)" }
    if hasTimeRange, hasDiagnostic { return "MetricKit's DiagnosticReport (iOS 27)" }
    return hasDiagnostics ? "MetricKit's diagnostic payload (MXDiagnosticPayload)" : nil
  }

  private static func isEnvelope(_ key: JSONText) -> Bool {
    switch key {
    case "payload", "payloads", "data", "raw", "body", "json", "report", "metric", "metrics", "diagnostic",
      "diagnostics", "mxMetricPayload", "mxDiagnosticPayload":
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
