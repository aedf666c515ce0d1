internal import Analysis
internal import Core
internal import Storage

extension PageSource {
  /// The verdicts and numbers of the apps in Prometheus' text format; nil if there is no such app. `only`: the bundle
  /// identifier of a single app, which adds every metric of its report; nil for all apps that the client may read.
  func prometheus(only: String? = nil) throws -> [UInt8]? {
    let open = Dictionary(grouping: try incidents(closedAfter: now).filter { $0.state == .open }, by: \.app)
    let apps = try only.map { try app($0).map { [$0] } ?? [] } ?? apps()
    if only != nil, apps.isEmpty { return nil }
    var metrics = AppMetrics()
    for app in apps {
      let summary = try answer(to: ["summary"], about: app) { try health(of: app).summary(app, now: now) }
      metrics.add(summary, openIncidents: open[app.id]?.count ?? 0, now: now)
      if only != nil { metrics.add(try health(of: app).report(app, now: now)) }
    }
    return Array(metrics.text.utf8)
  }
}
