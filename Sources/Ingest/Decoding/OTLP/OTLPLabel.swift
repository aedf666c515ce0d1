internal import Core

/// Builds the label of a point from its attributes.
enum OTLPLabel {
  /// The label of a point; empty when there is none. For a catalogue metric it is the one attribute that its entry
  /// names, for a custom metric all attributes as `k=v, k=v` in the order of keys, cut to `DecodingLimits.textBytes`.
  static func of(_ attributes: [OTLPKeyValue], for metric: Metric?) -> String {
    if attributes.isEmpty { return "" }
    guard let metric else { return all(attributes) }
    return metric.labelledBy.flatMap { attributes.text(keys[$0] ?? [$0]) } ?? ""
  }

  private static func all(_ attributes: [OTLPKeyValue]) -> String {
    var label = ""
    for attribute in attributes.ordered where label.utf8.count <= DecodingLimits.textBytes {
      if !label.isEmpty { label += ", " }
      label += "\(attribute.key)=\(attribute.value.plainText ?? attribute.json)"
    }
    return label.kept
  }

  /// The attributes that may contain each kind of label, in order of preference.
  private static let keys: [String: [String]] = [
    "screen": ["screen", "screen.name", "app.screen.name", "view", "view.name"],
    "view": ["view", "view.name", "screen", "screen.name", "app.screen.name"],
    "host": ["host", "server.address", "url.domain", "http.host", "net.peer.name"],
    "endpoint": ["endpoint", "url.template", "http.route", "url.path", "server.address"],
    "interaction": ["interaction", "interaction.name", "action", "app.widget.name", "app.widget.id"],
    "flow": ["flow", "flow.name"],
  ]
}
