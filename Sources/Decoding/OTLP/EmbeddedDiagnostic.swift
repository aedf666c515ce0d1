internal import JSON
internal import Telemetry

/// MetricKit's own JSON of a diagnostic, carried as a text by a log record (Embrace's `payload`).
enum EmbeddedDiagnostic {
  /// The first diagnostic in `json`; nil when there is none.
  static func read(_ json: String, _ context: DecodingContext, _ load: RequestLoad) -> Diagnostic? {
    var text = json
    return text.withUTF8 { bytes in
      var reader = ReportDocumentReader(context: context, load: load)
      do {
        try JSONParser().withDocument(UnsafeRawBufferPointer(bytes)) { try reader.read($0) }
      } catch {
        return nil
      }
      return reader.reports.lazy.flatMap(\.diagnostics).first
    }
  }
}
