internal import JSON
internal import OTLPMessages
internal import Telemetry

extension OTLPLogsReader {
  func diagnostic(_ kind: DiagnosticKind, _ event: OTLPLogEvent) -> Diagnostic {
    let attributes = event.record.attributes
    let stack = attributes.fullText("exception.stacktrace", "\(event.name).exception.stacktrace_json")
    return Diagnostic(
      kind: kind, time: .instant(event.time), identity: event.identity,
      exception: exception(attributes), quantity: Self.quantity(kind, attributes), session: event.session,
      user: event.origin.installation, calls: stack.flatMap { OTLPCallStacks.read($0, parser, quota) } ?? CallTree(),
      body: Array(event.body(keepingText: context.keepsExceptionText).utf8))
  }

  private func exception(_ attributes: [OTLPKeyValue]) -> ExceptionDetails {
    let crash = "metrickit.diagnostic.crash.exception."
    return ExceptionDetails(
      type: attributes.integer(crash + "mach_exception.type", crash + "mach_execution_type")
        .flatMap(Int.init(exactly:)),
      code: attributes.integer(crash + "code").flatMap(UInt64.init(exactly:)),
      signal: attributes.integer(crash + "signal").flatMap(Int.init(exactly:)),
      name: attributes.text(
        "exception.type", crash + "objc.type", crash + "objc.name", crash + "mach_exception.name",
        crash + "signal.name"),
      termination: attributes.text(crash + "termination_reason"),
      reason: context.keepsExceptionText
        ? attributes.fullText("exception.message", crash + "objc.message")?.kept(DecodingLimits.exceptionBytes) : nil)
  }

  /// The quantity of a diagnostic. OpenTelemetry's MetricKit instrumentation writes seconds and bytes.
  private static func quantity(_ kind: DiagnosticKind, _ attributes: [OTLPKeyValue]) -> Double? {
    let (value, factor): (Double?, Double) =
      switch kind {
      case .hang: (attributes.number("metrickit.diagnostic.hang.hang_duration"), 1000)
      case .launchFailure: (attributes.number("metrickit.diagnostic.app_launch.launch_duration"), 1000)
      case .cpuException: (attributes.number("metrickit.diagnostic.cpu_exception.total_cpu_time"), 1)
      case .diskWriteException:
        (attributes.number("metrickit.diagnostic.disk_write_exception.total_writes_caused"), 1)
      case .crash, .memoryException, .error: (nil, 1)
      }
    return value.flatMap { $0 >= 0 && $0 * factor <= DecodingLimits.value ? $0 * factor : nil }
  }
}

/// The call stacks of OpenTelemetry's MetricKit instrumentation: JSON in the attribute `exception.stacktrace`, where
/// each stack is a list of frames, innermost first.
///
///     {"callStackPerThread": true, "callStacks": [{"threadAttributed": true, "callStackFrames":
///       [{"binaryName": "Shop", "binaryUUID": "70B8…", "offsetAddress": 4660}]}]}
///
/// Source: opentelemetry-swift, instrumentation "MetricKit"
struct OTLPCallStacks {
  private var tree = CallTree()
  private var binaries: [CallTree.Binary: Int] = [:]
  private let quota: RequestQuota

  private init(quota: RequestQuota) { self.quota = quota }

  /// Parses the JSON; nil for any other text, such as the stack traces of other languages.
  static func read(_ text: String, _ parser: JSONParser, _ quota: RequestQuota) -> CallTree? {
    guard text.utf8.first == UInt8(ascii: "{") else { return nil }
    return try? Array(text.utf8).withUnsafeBytes { bytes in
      try parser.withDocument(bytes) { root in
        var stacks = OTLPCallStacks(quota: quota)
        for stack in try root.object().required("callStacks").array() { try stacks.add(stack.object()) }
        return stacks.tree
      }
    }
  }

  private mutating func add(_ stack: JSONObject) throws {
    guard let list = stack["callStackFrames"] else { return }
    let start = tree.frames.count
    for frame in try frames(list.array()).reversed() {
      let caller = tree.frames.count > start ? tree.frames.count - 1 : -1
      try tree.frames.append(self.frame(frame.object(), caller: caller))
    }
    guard tree.frames.count > start else { return }
    let isAttributed = try stack["threadAttributed"].map { try $0.boolean() } ?? false
    tree.threads.append(.init(range: start..<tree.frames.count, isAttributed: isAttributed))
  }

  /// The frames of a list, each counted against the request's quota before it is parsed.
  private func frames(_ list: JSONArray) throws -> [JSONValue] {
    var frames: [JSONValue] = []
    for frame in list {
      try quota.add(.frames, at: frame)
      frames.append(frame)
    }
    return frames
  }

  private mutating func frame(_ frame: JSONObject, caller: Int) throws -> CallTree.Frame {
    CallTree.Frame(
      caller: caller, binary: try binary(frame),
      offset: try (frame["offsetAddress"] ?? frame["offsetIntoBinaryTextSegment"]).map { try $0.unsignedInteger() },
      address: try frame["address"].map { try $0.unsignedInteger() })
  }

  private mutating func binary(_ frame: JSONObject) throws -> Int {
    let binary = CallTree.Binary(
      name: try frame["binaryName"].map { try $0.text().kept } ?? "",
      uuid: try frame["binaryUUID"].map { try Self.digits($0.text()) } ?? "")
    if binary.name.isEmpty, binary.uuid.isEmpty { return -1 }
    if let known = binaries[binary] { return known }
    tree.binaries.append(binary)
    binaries[binary] = tree.binaries.count - 1
    return tree.binaries.count - 1
  }

  /// The UUID as 32 upper-case hexadecimal digits; empty for any other text.
  private static func digits(_ uuid: BorrowedJSONString) -> String {
    let digits = uuid.bytes.filter { $0 != UInt8(ascii: "-") }.map { (97...102).contains($0) ? $0 - 32 : $0 }
    let isUUID = digits.count == 32 && digits.allSatisfy { (48...57).contains($0) || (65...70).contains($0) }
    return isUUID ? String(decoding: digits, as: UTF8.self) : ""
  }
}

/// A diagnostic as MetricKit's own JSON inside a log record's text attribute (Embrace's `payload`).
enum EmbeddedDiagnostic {
  /// The first diagnostic in the JSON; nil when there is none.
  static func read(_ json: String, _ context: DecodingContext, _ quota: RequestQuota) -> Diagnostic? {
    var text = json
    return text.withUTF8 { bytes in
      var reader = ReportDocumentReader(context: context, quota: quota)
      do {
        try JSONParser().withDocument(UnsafeRawBufferPointer(bytes)) { try reader.read($0) }
      } catch {
        return nil
      }
      return reader.reports.lazy.flatMap(\.diagnostics).first
    }
  }
}
