package import JSON
package import Storage
public import Telemetry

// What is shown as it is stored: no measure is taken of it.
extension HealthReader {
  /// Diagnostics, the newest first.
  package func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] { try store.diagnostics(query) }

  /// The compressed parts of one diagnostic; nil when there is none of that number, or they were dropped.
  package func sample(_ app: App, number: Int64) throws -> StoredSample? {
    try store.diagnostics(DiagnosticQuery(app: app.id, number: number, limit: 1)).first.flatMap {
      try store.sample(of: app.id, identity: $0.identity)
    }
  }

  /// What became of the payloads that were received in a window.
  package func tallySummary(of app: App, in window: Window) throws -> TallySummary {
    try store.tallySummary(of: app.id, in: window)
  }
}

extension DiagnosticKind {
  /// The kind called `name`: `crash`, `disk_write_exception`.
  public init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// What a diagnostic's quantity measures; nil when its kind has none.
  public var quantityUnit: MetricUnit? {
    switch self {
    case .hang, .launchFailure: .milliseconds
    case .cpuException: .seconds
    case .diskWriteException: .bytes
    case .crash, .memoryException, .error: nil
    }
  }
}

extension StoredDiagnostic {
  package var json: JSONNode {
    .object([
      ("id", .integer(number)), ("kind", .string(kind.name)), ("source", .string(source.title)),
      ("day", .string(day.iso)), ("time", .optional(time?.iso)), ("received", .string(received.iso)),
      ("environment", .string(environment)), ("release", .string(release.versionTitle)),
      ("build", .string(release.build)),
      ("os", .string(os)), ("device", .string(model)), ("quantity", .optional(quantity)),
      ("unit", .optional(kind.quantityUnit?.symbol)), ("exception", exception.json),
    ])
  }
}

extension ExceptionDetails {
  var json: JSONNode {
    .object([
      ("type", .optional(type)), ("code", .optional(code.map { "0x" + String($0, radix: 16) })),
      ("signal", .optional(signal)), ("name", .optional(name)), ("termination", .optional(termination)),
      ("reason", .optional(reason)),
    ])
  }
}
