public import Core
package import Storage

// Stored data that are shown without computing a measure.
extension HealthReader {
  /// Diagnostics that match a query, the newest first.
  package func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] { try store.diagnostics(query) }

  /// The compressed body and call stacks of one diagnostic; nil if there is none with this number, or they were
  /// deleted.
  package func sample(_ app: App, number: Int64) throws -> StoredSample? {
    try store.diagnostics(DiagnosticQuery(app: app.id, number: number, limit: 1)).first.flatMap {
      try store.sample(of: app.id, identity: $0.identity)
    }
  }

  /// How many payloads received in a window were accepted, repeated or rejected.
  package func tallySummary(of app: App, in window: Window) throws -> TallySummary {
    var summary = try store.tallySummary(of: app.id, in: window)
    // Records that are lost or damaged before their app can be read may be of any app.
    let unknown = try store.tallySummary(of: 0, in: window).counts[.quarantined] ?? []
    guard !unknown.isEmpty else { return summary }
    summary.counts[.quarantined, default: []] += unknown.map { count in
      var named = count
      named.reason += ", app unknown"
      return named
    }
    return summary
  }
}

extension DiagnosticKind {
  /// The kind with this name, such as `crash` or `disk_write_exception`; nil for another name.
  public init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// The unit of a diagnostic's quantity; nil for kinds without one.
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
  package var json: JSONOutput {
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
  var json: JSONOutput {
    .object([
      ("type", .optional(type)), ("code", .optional(code.map { "0x" + String($0, radix: 16) })),
      ("signal", .optional(signal)), ("name", .optional(name)), ("termination", .optional(termination)),
      ("reason", .optional(reason)),
    ])
  }
}
