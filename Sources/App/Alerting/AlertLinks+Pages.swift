import Alerts
import Bytes
import Pages
import Storage
import Telemetry

extension AlertLinks {
  /// Links to the dashboard's pages below a public URL, which has no slash at its end; without one, no links.
  static func pages(_ publicURL: String?) -> AlertLinks {
    guard let root = publicURL else { return .none }
    return AlertLinks(all: root + Page.alerts(app: nil).path) { incident, app in
      root + (app.map { page(incident.key, of: $0) } ?? Page.alerts(app: nil).path)
    }
  }

  /// The path of the page about an incident: that of the group or the metric, or data quality for rules about payloads.
  private static func page(_ key: IncidentKey, of app: String) -> String {
    if let group = key.group { return Page.group(app: app, id: group).path }
    guard let metric = key.metric else { return Page.dataQuality(app: app).path }
    let parts = [
      ("environment", key.slice?.environment), ("release", key.slice?.release),
    ].compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
    let query = parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    return Page.metric(app: app, name: metric).path + query
  }
}
