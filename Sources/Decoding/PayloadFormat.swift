internal import JSON

/// The format of a body, chosen by the address that it was sent to.
public enum PayloadFormat: Sendable, Equatable {
  /// MetricKit of any generation or native JSON, distinguished by their keys.
  case sniffed
  /// Sentry's envelope: lines of JSON headers, each before its item.
  case sentryEnvelope
  /// A Sentry event as plain JSON, as `/store/` takes it.
  case sentryStore
  /// An OTLP `ExportMetricsServiceRequest`.
  case otlpMetrics(OTLPEncoding)
  /// An OTLP `ExportLogsServiceRequest`.
  case otlpLogs(OTLPEncoding)
}

/// The two ways to write an OTLP message.
public enum OTLPEncoding: Sendable, Equatable {
  case protobuf
  case json
}

extension PayloadFormat {
  /// The likely format of a body without an address, such as an imported file.
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

  /// Field 1, length-delimited: how every export request begins that holds anything.
  private static let firstTagOfOTLP: UInt8 = 0x0A

  /// Headers on the first line, and on the second those of an item, which name its type.
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

  /// Formats that have an address of their own; nil for MetricKit's and native JSON, and for what is no JSON.
  private static func ofDocument(_ body: UnsafeRawBufferPointer, _ parser: JSONParser) -> PayloadFormat? {
    try? parser.withDocument(body) { root in
      let object = try root.object()
      if object["resourceMetrics"] != nil { return .otlpMetrics(.json) }
      if object["resourceLogs"] != nil { return .otlpLogs(.json) }
      return object["event_id"] != nil && object["platform"] != nil ? .sentryStore : .sniffed
    }
  }
}
