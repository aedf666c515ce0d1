import Analysis
import Core
import Storage
import Web

extension AlertLinks {
  /// Links to the dashboard's pages below a public URL; without one, no links.
  static func pages(_ publicURL: String?) -> AlertLinks {
    guard let root = root(publicURL) else { return .none }
    return AlertLinks(
      overview: { root + Page.alerts(app: $0).path },
      incident: { incident, app in
        root + (app.flatMap { app in incident.lead.map { page($0.key, of: app) } } ?? Page.alerts(app: app).path)
      })
  }

  /// The public URL without a slash at its end; nil if there is none.
  static func root(_ publicURL: String?) -> String? {
    guard let publicURL, !publicURL.isEmpty else { return nil }
    return publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
  }

  /// The path of the page about an incident: that of the group or the metric, or data quality for rules about payloads.
  private static func page(_ key: BreachKey, of app: String) -> String {
    if let group = key.group { return Page.group(app: app, id: group).path }
    guard let metric = key.metric else { return Page.dataQuality(app: app).path }
    let parts = [
      ("environment", key.slice?.environment), ("release", key.slice?.release),
    ].compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
    let query = parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    return Page.metric(app: app, name: metric).path + query
  }
}
