public import Core
public import Storage

// Stored data that are displayed without computing a measure.
extension HealthReader {
  /// Diagnostics that match a query, newest first.
  package func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] { try store.diagnostics(query) }

  /// The full sample of one diagnostic: its compressed body and call stacks. Nil if no diagnostic has this number or if
  /// the full sample has been removed.
  package func sample(_ app: App, number: Int64) throws -> StoredSample? {
    try store.diagnostics(DiagnosticQuery(app: app.id, number: number, limit: 1)).first.flatMap {
      try store.sample(of: app.id, identity: $0.identity)
    }
  }

  /// The number of payloads by outcome, of those received in a window.
  package func tallySummary(of app: App, in window: Window) throws -> TallySummary {
    var summary = try store.tallySummary(of: app.id, in: window)
    // Records that were lost or damaged before their app was read may belong to any app.
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
  /// The kind with this name, such as `crash` or `disk_write_exception`; nil for an unknown name.
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

extension StoredDiagnostic: APIObject {
  public static let fields = Fields<Self>("Diagnostic") {
    Field("id", \.number, schema: .integer(from: 0))
    Field("kind", \.kind)
    Field("source", \.source.title)
    Field("day", \.day)
    Field("time", \.time)
    Field("received", \.received)
    Field("environment", \.environment)
    Field("release", \.release.versionTitle)
    Field("build", \.release.build)
    Field("os", \.os)
    Field("device", \.model)
    Field("quantity", \.quantity)
    Field("unit", \.kind.quantityUnit?.symbol)
    Field("exception", \.exception)
  }
}

extension ExceptionDetails: APIObject {
  public static let fields = Fields<Self> {
    Field("type", \.type, schema: .optional(.integer()))
    Field("code") { $0.code.map { "0x" + String($0, radix: 16) } }
    Field("signal", \.signal, schema: .optional(.integer()))
    Field("name", \.name)
    Field("termination", \.termination)
    Field("reason", \.reason)
  }
}
