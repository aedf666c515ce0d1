/// How a body is to be read. The address it was sent to says so.
public enum PayloadFormat: Sendable, Equatable {
  /// MetricKit of any generation or native JSON, told apart by their keys.
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
