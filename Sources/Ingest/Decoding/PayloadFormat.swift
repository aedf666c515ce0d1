import Core

/// The format of a body, which its URL determines.
public enum PayloadFormat: Sendable, Equatable {
  /// MetricKit, Apple's crash reports or native JSON, which the body's content distinguishes.
  case sniffed
  /// A Sentry envelope: lines of JSON headers, each followed by its item.
  case sentryEnvelope
  /// A Sentry event as plain JSON, from Sentry's older `/store/` endpoint.
  case sentryStore
  /// An OTLP `ExportMetricsServiceRequest`.
  case otlpMetrics(OTLPEncoding)
  /// An OTLP `ExportLogsServiceRequest`.
  case otlpLogs(OTLPEncoding)
  /// An OTLP `ExportTraceServiceRequest`.
  case otlpTraces(OTLPEncoding)
}

/// The two encodings of an OTLP message.
public enum OTLPEncoding: Sendable, Equatable {
  case protobuf
  case json
}

extension PayloadFormat {
  /// Guesses the format of a body without a URL, such as an imported file.
  public init(detectedIn body: UnsafeRawBufferPointer) {
    let parser = JSONParser()
    if CrashTextLines.isPossible(body) {
      self = .sniffed
    } else if Self.isEnvelope(body, parser) {
      self = .sentryEnvelope
    } else if body.first == Self.firstTagOfOTLP, !Self.isDocument(body, parser) {
      self = .otlpMetrics(.protobuf)
    } else {
      self = Self.ofDocument(body, parser) ?? .sniffed
    }
  }

  /// The first byte of every OTLP request that is not empty: field 1, length-delimited.
  private static let firstTagOfOTLP: UInt8 = 0x0A

  /// Whether the first line is JSON and the second is an item's header with a type.
  private static func isEnvelope(_ body: UnsafeRawBufferPointer, _ parser: JSONParser) -> Bool {
    let lines = body.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count > 1, isDocument(UnsafeRawBufferPointer(rebasing: lines[0]), parser) else { return false }
    let type = try? parser.withDocument(UnsafeRawBufferPointer(rebasing: lines[1])) { header in
      try header.object()["type"]?.kind == .string
    }
    return type == true
  }

  private static func isDocument(_ text: UnsafeRawBufferPointer, _ parser: JSONParser) -> Bool {
    (try? parser.withDocument(text) { $0.kind == .object || $0.kind == .array }) == true
  }

  /// The format of a JSON document: OTLP, a Sentry event, or `.sniffed` for any other object. Nil if the body is not a
  /// JSON object.
  private static func ofDocument(_ body: UnsafeRawBufferPointer, _ parser: JSONParser) -> PayloadFormat? {
    try? parser.withDocument(body) { root in
      let object = try root.object()
      if object["resourceMetrics"] != nil { return .otlpMetrics(.json) }
      if object["resourceLogs"] != nil { return .otlpLogs(.json) }
      if object["resourceSpans"] != nil { return .otlpTraces(.json) }
      return object["event_id"] != nil && object["platform"] != nil ? .sentryStore : .sniffed
    }
  }
}
