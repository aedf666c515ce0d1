internal import Core
package import Storage

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
