internal import Telemetry

/// MetricKit's own JSON of a diagnostic, carried as a text by a log record (Embrace's `payload`).
enum EmbeddedDiagnostic {
  /// The diagnostic in `json`; nil when it is none. Not read yet: this is where MetricKit's diagnostics join.
  static func read(_ json: String, _ context: DecodingContext) -> Diagnostic? { nil }
}
