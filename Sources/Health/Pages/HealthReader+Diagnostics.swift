public import Storage
public import Telemetry

extension HealthReader {
  /// An app's diagnostics, the newest first.
  public func diagnostics(
    _ app: App, kind: DiagnosticKind? = nil, before: Int64? = nil, limit: Int = DiagnosticList.most
  ) throws -> DiagnosticList {
    let limit = min(max(1, limit), DiagnosticList.most)
    let query = DiagnosticQuery(app: app.id, kind: kind, before: before, limit: limit + 1)
    let found = try store.diagnostics(query)
    return DiagnosticList(
      app: app.bundleID, kind: kind, diagnostics: Array(found.prefix(limit)),
      next: found.count > limit ? found[limit - 1].number : nil)
  }

  /// The compressed parts of one diagnostic; nil when there is none of that number, or they were dropped.
  public func sample(_ app: App, number: Int64) throws -> StoredSample? {
    try store.diagnostics(DiagnosticQuery(app: app.id, number: number, limit: 1)).first.flatMap {
      try store.sample(of: app.id, identity: $0.identity)
    }
  }
}
