internal import OTLPMessages
internal import Telemetry

/// The label of a point, from its attributes.
enum OTLPLabel {
  /// A catalogue metric is labelled by the one thing its entry names; a metric of the client's own by all attributes, as
  /// `k=v, k=v` in the order of their keys, cut to what is kept. Empty when there is none.
  static func of(_ attributes: [OTLPKeyValue], for metric: Metric?) -> String {
    if attributes.isEmpty { return "" }
    guard let metric else { return all(attributes) }
    return metric.labelledBy.flatMap { attributes.text(keys[$0] ?? [$0]) } ?? ""
  }

  private static func all(_ attributes: [OTLPKeyValue]) -> String {
    var label = ""
    for attribute in attributes.ordered where label.utf8.count <= Limits.textBytes {
      if !label.isEmpty { label += ", " }
      label += "\(attribute.key)=\(attribute.value.plainText ?? attribute.json)"
    }
    return label.kept
  }

  /// Attributes that name the thing, the plainest first.
  private static let keys: [String: [String]] = [
    "screen": ["screen", "screen.name", "app.screen.name", "view", "view.name"],
    "view": ["view", "view.name", "screen", "screen.name", "app.screen.name"],
    "host": ["host", "server.address", "url.domain", "http.host", "net.peer.name"],
    "endpoint": ["endpoint", "url.template", "http.route", "url.path", "server.address"],
    "interaction": ["interaction", "interaction.name", "action", "app.widget.name", "app.widget.id"],
    "flow": ["flow", "flow.name"],
  ]
}
