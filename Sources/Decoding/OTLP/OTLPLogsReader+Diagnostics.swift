internal import OTLPMessages
internal import Telemetry

extension OTLPLogsReader {
  func diagnostic(_ kind: DiagnosticKind, _ event: OTLPLogEvent) -> Diagnostic {
    let attributes = event.record.attributes
    let stack = attributes.fullText("exception.stacktrace", "\(event.name).exception.stacktrace_json")
    return Diagnostic(
      kind: kind, time: .instant(event.time), identity: event.identity,
      exception: exception(attributes), quantity: Self.quantity(kind, attributes), session: event.session,
      user: event.origin.installation, calls: stack.flatMap { OTLPCallStacks.read($0, parser, load) } ?? CallTree(),
      body: Array(event.body(keepingText: context.keepsExceptionText).utf8))
  }

  private func exception(_ attributes: [OTLPKeyValue]) -> ExceptionFacts {
    let crash = "metrickit.diagnostic.crash.exception."
    return ExceptionFacts(
      type: attributes.integer(crash + "mach_exception.type", crash + "mach_execution_type")
        .flatMap(Int.init(exactly:)),
      code: attributes.integer(crash + "code").flatMap(UInt64.init(exactly:)),
      signal: attributes.integer(crash + "signal").flatMap(Int.init(exactly:)),
      name: attributes.text(
        "exception.type", crash + "objc.type", crash + "objc.name", crash + "mach_exception.name",
        crash + "signal.name"),
      termination: attributes.text(crash + "termination_reason"),
      reason: context.keepsExceptionText
        ? attributes.fullText("exception.message", crash + "objc.message")?.kept(Limits.exceptionBytes) : nil)
  }

  /// OpenTelemetry's instrumentation of MetricKit writes seconds and bytes.
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
    return value.flatMap { $0 >= 0 && $0 * factor <= Limits.value ? $0 * factor : nil }
  }
}
