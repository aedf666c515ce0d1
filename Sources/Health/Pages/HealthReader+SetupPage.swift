public import Storage
public import Telemetry

extension HealthReader {
  /// Whether payloads of an app arrive, and what was understood of them.
  public func setupPage(_ app: App, now: Timestamp) throws -> SetupModel {
    let scope = try scope(of: app, .init(), now: now)
    let quality = try dataQuality(app, now: now)
    let metrics = try series(scope).map(\.metric).filter { !Self.internalMetrics.contains($0) }
    let titles = Set(metrics.map(\.name)).map { name in
      let metric = Catalogue.metric(named: name)
      return (order: metric.map { Int($0.number) } ?? .max, title: metric?.title ?? name)
    }.sorted { ($0.order, $0.title) < ($1.order, $1.title) }
    let releases = Set(scope.inventory.releases.map(\.release)).sorted { VersionOrder.precedes($1, $0) }
    return SetupModel(
      app: scope.bundleID, accepted: quality.accepted,
      rejected: (quality.counts[.rejected] ?? []) + (quality.counts[.limited] ?? []),
      sources: quality.counts[.accepted] ?? [], lastReceived: scope.inventory.lastReceived,
      metrics: titles.map(\.title), releases: releases.map(\.title),
      environments: scope.inventory.environments.keys.sorted(), digestedThrough: scope.inventory.digestedThrough,
      asOf: now)
  }
}
