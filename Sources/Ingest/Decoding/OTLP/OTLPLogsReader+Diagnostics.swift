import Core

extension OTLPLogsReader {
  func diagnostic(_ kind: DiagnosticKind, _ event: OTLPLogEvent) -> Diagnostic {
    let attributes = event.record.attributes
    let stack = attributes.fullText("exception.stacktrace", "\(event.name).exception.stacktrace_json")
    let text = stack.flatMap { CrashTextReader.stacks(in: $0, context, quota) }
    var calls = stack.flatMap { OTLPCallStacks.read($0, of: kind, parser, quota) } ?? text?.calls ?? CallTree()
    if kind == .hang, text != nil {
      // The text marks the thread that wrote the report. The first thread is the main thread, which hung.
      for index in calls.threads.indices { calls.threads[index].isAttributed = index == 0 }
    }
    return Diagnostic(
      kind: kind, time: .instant(event.time), identity: event.identity,
      exception: exception(attributes, text?.exception), quantity: Self.quantity(kind, attributes),
      session: event.session,
      user: event.origin.installation,
      calls: calls,
      body: PackedJSON(Array(event.body(keepingText: context.keepsExceptionText).utf8)))
  }

  /// The exception in the attributes, completed by that of the crash report in the stack trace.
  private func exception(_ attributes: [OTLPKeyValue], _ report: ExceptionDetails?) -> ExceptionDetails {
    let crash = "metrickit.diagnostic.crash.exception."
    // AWS's distribution writes the kind of event as the exception's type.
    let type = attributes.text("exception.type").flatMap { ["crash", "hang"].contains($0) ? nil : $0 }
    return ExceptionDetails(
      type: attributes.integer(crash + "mach_exception.type", crash + "mach_execution_type")
        .flatMap(Int.init(exactly:)) ?? report?.type,
      code: attributes.integer(crash + "code").flatMap(UInt64.init(exactly:)) ?? report?.code,
      signal: attributes.integer(crash + "signal").flatMap(Int.init(exactly:)) ?? report?.signal,
      name: type ?? report?.name
        ?? attributes.text(
          crash + "objc.type", crash + "objc.name", crash + "mach_exception.name", crash + "signal.name"),
      termination: attributes.text(crash + "termination_reason") ?? report?.termination,
      reason: context.keepsExceptionText
        ? attributes.fullText("exception.message", crash + "objc.message")?.kept(DecodingLimits.exceptionBytes)
          ?? report?.reason : nil)
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

/// The call stacks of OpenTelemetry's MetricKit instrumentation: JSON in the attribute `exception.stacktrace`. It is
/// either MetricKit's own tree or, by default, one list of frames per stack in the order of that tree.
///
///     {"callStackPerThread": true, "callStacks": [{"threadAttributed": true, "callStackFrames":
///       [{"binaryName": "Shop", "binaryUUID": "70B8…", "offsetAddress": 4660}]}]}
///
/// Source: opentelemetry-swift, instrumentation "MetricKit", StackTraceTransform.swift
enum OTLPCallStacks {
  /// Parses the JSON; nil for other texts, such as stack traces of other languages.
  static func read(_ text: String, of kind: DiagnosticKind, _ parser: JSONParser, _ quota: DecodingQuota) -> CallTree? {
    guard text.utf8.first == UInt8(ascii: "{") else { return nil }
    return try? Array(text.utf8).withUnsafeBytes { bytes in
      try parser.withDocument(bytes) { root in
        var stacks = CallTreeReader(quota: quota)
        _ = try root.object().required("callStacks")
        try stacks.read(root)
        var tree = stacks.tree(of: kind, mainThreadIsFirst: false, listsKeepOrder: true)
        tree.threads.removeAll { $0.range.isEmpty }
        return tree
      }
    }
  }
}

/// A diagnostic as MetricKit's own JSON inside a log record's text attribute (Embrace's `payload`).
enum EmbeddedDiagnostic {
  /// The first diagnostic in the JSON; nil if there is none.
  static func read(_ json: String, _ context: DecodingContext, _ quota: DecodingQuota) -> Diagnostic? {
    var text = json
    return text.withUTF8 { bytes in
      var reader = ReportDocumentReader(context: context, quota: quota, names: SignpostNames())
      do {
        try JSONParser().withDocument(UnsafeRawBufferPointer(bytes)) { try reader.read($0) }
      } catch {
        return nil
      }
      return reader.reports.lazy.flatMap(\.diagnostics).first
    }
  }
}
