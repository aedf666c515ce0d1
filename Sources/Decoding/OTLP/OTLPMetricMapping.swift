internal import OTLPMessages
internal import Telemetry

/// How the values of an OTLP metric are stored: under which metric, with which factor and in which form.
struct OTLPMetricMapping {
  /// The form of a metric's points.
  enum Shape {
    /// A monotonic sum.
    case counter
    /// A value at a moment; `isWhole` if it was sent as an integer.
    case level(isWhole: Bool)
    case buckets
  }

  let reference: MetricReference
  /// The catalogue metric to which an OTLP metric is mapped; nil when it becomes a custom metric.
  let metric: Metric?
  /// The factor from the unit that was sent to the unit that is stored.
  let factor: Double
  /// Whether the unit was missing or unknown, so that one had to be assumed.
  let isUnitGuessed: Bool
  /// Whether a sum is stored as one sample of a distribution, as MetricKit's daily writes are.
  let isCounterSample: Bool

  init(name: String, unit: String, _ shape: Shape) throws(OTLPRefusal) {
    let unit = OTLPUnit(unit)
    let mapped = OTLPMetricNames.catalogued(name)
    guard let metric = Catalogue.metric(named: mapped ?? name) else {
      self = try Self(own: OTLPMetricNames.allowed(name), unit, shape)
      return
    }
    isCounterSample = try Self.check(metric, shape, isMapped: mapped != nil)
    (factor, isUnitGuessed) = try unit.factor(into: metric)
    reference = .known(metric.number)
    self.metric = metric
  }

  private init(own name: String, _ unit: OTLPUnit, _ shape: Shape) throws(OTLPRefusal) {
    if name.isEmpty { throw OTLPRefusal("a metric has no name") }
    let kept =
      switch shape {
      case .counter, .level(isWhole: true): unit.own(isFraction: false)
      case .level, .buckets: unit.own(isFraction: true)
      }
    var kind = Metric.Kind.distribution
    if case .counter = shape { kind = .counter }
    reference = MetricReference(name: name, unit: kept.unit, kind: kind)
    metric = nil
    (factor, isUnitGuessed, isCounterSample) = (kept.factor, kept.isGuess, false)
  }

  /// Throws unless the catalogue metric accepts this form: a metric stores percentiles or sums, not both, and metrics
  /// that Plumb computes cannot be sent. Returns whether a sum is stored as one sample.
  private static func check(_ metric: Metric, _ shape: Shape, isMapped: Bool) throws(OTLPRefusal) -> Bool {
    let isCounted = [Catalogue.sessions, Catalogue.users, Catalogue.payloads].contains(metric.number)
    if isCounted || metric.kind == .ratio || metric.kind == .rate {
      throw OTLPRefusal("\(metric.name) is computed by the server and cannot be sent")
    }
    switch (metric.kind, shape) {
    case (.counter, .counter), (.distribution, .level), (.distribution, .buckets): return false
    case (.distribution, .counter) where isMapped: return true
    case (.counter, _): throw OTLPRefusal("\(metric.name) is a sum: send it as a monotonic Sum")
    default:
      throw OTLPRefusal("\(metric.name) is a distribution: send it as a Histogram, or as a Gauge of single values")
    }
  }
}

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
