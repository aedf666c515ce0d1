public import Storage
public import Telemetry

extension HealthReader {
  /// What became of what an app's clients sent in a window of receipt: by default the 28 days that end today.
  public func dataQuality(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> DataQuality {
    let scope = try scope(of: app, query, now: now)
    let to = query.to ?? scope.localNow.day()
    let window = Window(from: query.from ?? to - (Scope.defaultDays - 1), to: to)
    let tallies = try store.tallies(of: app.id, in: window)
    return DataQuality(
      app: app.bundleID, window: window, digestedThrough: scope.inventory.digestedThrough,
      lastReceived: scope.inventory.lastReceived, counts: Self.counts(tallies), clients: Self.clients(tallies))
  }

  private static func counts(_ tallies: [TallyDelta]) -> [TallyKind: [DataQuality.Count]] {
    Dictionary(grouping: tallies, by: \.kind).mapValues { tallies in
      Dictionary(grouping: tallies, by: \.reason).map { reason, tallies in
        let last = tallies.filter { !$0.detail.isEmpty }.max { $0.day < $1.day }
        return DataQuality.Count(
          reason: reason, count: tallies.reduce(0) { $0 + $1.count }, lastDetail: last?.detail ?? "",
          lastDay: tallies.map(\.day).max() ?? CalendarDay(number: 0))
      }.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }
  }

  private static func clients(_ tallies: [TallyDelta]) -> [DataQuality.ClientCounts] {
    var clients: [ClientName: DataQuality.ClientCounts] = [:]
    for tally in tallies {
      let name = ClientName(client: tally.client, release: tally.release)
      let fresh = DataQuality.ClientCounts(client: tally.client, release: tally.release)
      switch tally.kind {
      case .accepted: clients[name, default: fresh].accepted += tally.count
      case .rejected: clients[name, default: fresh].rejected += tally.count
      case .limited: clients[name, default: fresh].refused += tally.count
      case .duplicate: clients[name, default: fresh].duplicates += tally.count
      case .late: clients[name, default: fresh].late += tally.count
      default: break
      }
    }
    return clients.values.sorted { ($1.total, $0.client, $0.release) < ($0.total, $1.client, $1.release) }
  }

  private struct ClientName: Hashable {
    let client: String
    let release: String
  }
}
