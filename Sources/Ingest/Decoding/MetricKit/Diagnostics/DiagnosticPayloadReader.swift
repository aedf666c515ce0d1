internal import Core

/// Reads the diagnostics of every generation of MetricKit. Each has a release, device and environment. Diagnostics with
/// equal origins become one report.
struct DiagnosticPayloadReader {
  let context: DecodingContext
  let defaults: EnvelopeDefaults
  let quota: DecodingQuota
  private(set) var reports: [Report] = []
  private var indexOfReport: [DiagnosticOrigin: Int] = [:]

  init(context: DecodingContext, defaults: EnvelopeDefaults, quota: DecodingQuota) {
    self.context = context
    self.defaults = defaults
    self.quota = quota
  }

  /// Reads an `MXDiagnosticPayload`. Without diagnostics it becomes an empty report.
  mutating func read(payload: JSONObject) throws {
    let window = DiagnosticWindow(begin: payload["timeStampBegin"], end: payload["timeStampEnd"])
    let defaults = defaults.insideDocument(payload)
    var unknown = 0
    for (key, list) in payload where !list.isNull {
      guard let kind = DiagnosticKind(payloadKey: key) else {
        if key.hasSuffix("Diagnostics"), list.kind == .array {
          unknown += try list.array().reduce(0) { count, _ in count + 1 }
        }
        continue
      }
      for element in try list.array() where !element.isNull {
        try add(element.object(), kind, window, defaults) { try $0.read(element: $1, $2) }
      }
    }
    if reports.isEmpty { appendEmpty(defaults) }
    reports[0].rejectedSamples += unknown
  }

  private mutating func appendEmpty(_ defaults: EnvelopeDefaults) {
    var origin = DiagnosticOrigin()
    origin.fill(from: defaults)
    reports.append(origin.report)
  }

  /// Reads a single `MXDiagnostic` or `MXCallStackTree`.
  mutating func read(diagnostic: JSONObject) throws {
    let window = DiagnosticWindow(begin: diagnostic["timeStampBegin"], end: diagnostic["timeStampEnd"])
    try add(diagnostic, nil, window, defaults.insideDocument(diagnostic)) { try $0.read(element: $1, $2) }
  }

  /// Reads iOS 27's `DiagnosticReport`: one diagnostic with its time range and environment.
  mutating func read(report: JSONObject) throws {
    let range = try report["timeRange"]?.object()
    let window = DiagnosticWindow(begin: range?["begin"], end: range?["end"])
    var unknown = 0
    var seen: Set<DiagnosticKind> = []
    for (key, value) in report where !value.isNull {
      guard let kind = DiagnosticKind(reportKey: key) else {
        if key.hasSuffix("Diagnostic"), value.kind == .object { unknown += 1 }
        continue
      }
      // A repeated member is counted as rejected. Each one would be stored with the whole report.
      guard seen.insert(kind).inserted else {
        unknown += 1
        continue
      }
      let diagnostic = try value.object()
      try add(report, calls: diagnostic, kind, window, defaults.insideDocument(report)) { metaData, report, context in
        if let environment = report["environment"] { try metaData.read(environment.object(), context) }
        try metaData.read(diagnostic, context)
      }
    }
    if reports.isEmpty { appendEmpty(defaults.insideDocument(report)) }
    reports[0].rejectedSamples += unknown
  }

  private typealias ReadMetaData = (inout DiagnosticMetaData, JSONObject, DecodingContext) throws -> Void

  /// Reads one diagnostic. `element` is stored as its body. `calls` is the object with its call stacks, if it is
  /// another one.
  private mutating func add(
    _ element: JSONObject, calls: JSONObject? = nil, _ kind: DiagnosticKind?, _ window: DiagnosticWindow,
    _ defaults: EnvelopeDefaults, _ readMetaData: ReadMetaData
  ) throws {
    try quota.add(.diagnostics, at: element.value)
    var metaData = DiagnosticMetaData()
    try readMetaData(&metaData, element, context)
    var stacks = CallTreeReader(quota: quota)
    let holder = calls ?? element
    if let tree = holder["callStackTree"] { try stacks.read(tree) } else { try stacks.read(holder.value) }
    let kind = kind ?? metaData.kind ?? defaults.kind ?? stacks.likelyKind
    let tree = stacks.tree(of: kind, mainThreadIsFirst: metaData.isMainThreadHang)
    metaData.origin.fill(from: defaults)
    if stacks.isSimulated { metaData.origin.environment = "simulated" }
    try append(element, kind, tree, metaData, window, defaults)
  }

  private mutating func append(
    _ element: JSONObject, _ kind: DiagnosticKind, _ tree: CallTree, _ metaData: DiagnosticMetaData,
    _ window: DiagnosticWindow, _ defaults: EnvelopeDefaults
  ) throws {
    let time = try DiagnosticTime.time(begin: window.begin, end: window.end, context)
    let index = index(of: metaData.origin)
    if time == nil, defaults.time == nil { reports[index].assumedTimes += 1 }
    reports[index].rejectedSamples += metaData.rejectedSamples
    reports[index].unknownUnits += metaData.unknownUnits
    let body = window.body(of: element, keepsText: context.keepsExceptionText)
    reports[index].diagnostics.append(
      Diagnostic(
        kind: kind, time: time ?? .instant(defaults.time.map(context.clamp) ?? context.received),
        identity: window.identity(of: body.contentHash, kind, metaData.origin), exception: metaData.exceptionDetails,
        quantity: metaData.quantity, calls: tree, body: body.json))
  }

  private mutating func index(of origin: DiagnosticOrigin) -> Int {
    if let index = indexOfReport[origin] { return index }
    reports.append(origin.report)
    indexOfReport[origin] = reports.count - 1
    return reports.count - 1
  }
}

/// The begin and end of a payload's time window, as in the document.
struct DiagnosticWindow {
  var begin: JSONValue?
  var end: JSONValue?

  /// The value if it may be a time: a number or a short string. Other values are dropped, because the window is stored
  /// with each of the payload's diagnostics.
  private static func kept(_ end: JSONValue?) -> JSONValue? {
    guard let end else { return nil }
    switch end.kind {
    case .integer, .double: return end
    case .string: return (end.textOrNil).flatMap { $0.count <= 64 ? end : nil }
    case .object, .array, .boolean, .null: return nil
    }
  }

  /// The identity of a diagnostic with this content hash. It depends neither on the order of members nor on the time of
  /// sending.
  func identity(of contentHash: UInt64, _ kind: DiagnosticKind, _ origin: DiagnosticOrigin) -> UInt64 {
    var hash = SeededHash(seed: UInt64(kind.rawValue))
    hash.combine(contentHash)
    hash.combine(Self.kept(begin)?.contentHash() ?? 0)
    hash.combine(Self.kept(end)?.contentHash() ?? 0)
    origin.combine(into: &hash)
    return hash.value
  }

  /// The diagnostic as JSON, with its content hash. A diagnostic without a time gets the payload's time window.
  func body(of element: JSONObject, keepsText: Bool) -> (json: PackedJSON, contentHash: UInt64) {
    let isInside = element["timeStampBegin"] != nil || element["timeStampEnd"] != nil || element["timeRange"] != nil
    let window: [(key: StaticString, value: JSONValue?)] = [
      ("timeStampBegin", Self.kept(begin)), ("timeStampEnd", Self.kept(end)),
    ]
    return PackedJSON.hashing(element, after: isInside ? [] : window) { key, isObject, place in
      !keepsText && ExceptionText.isHeld(by: key, isObject) ? nil : place
    }
  }
}

/// The members with an exception's free text, which may quote what users typed.
enum ExceptionText {
  static func isHeld(by key: BorrowedJSONString, _ isObject: Bool) -> Bool {
    switch key {
    case "composedMessage", "formatString", "arguments", "applicationSpecificInformation", "reason": true
    // In some versions the key's value is a string, in others an object with the keys above.
    case "exceptionReason", "objectiveCexceptionReason", "objectiveCExceptionReason": !isObject
    default: false
    }
  }
}
