import Core

/// The storage of a metric that a client named (OTLP, Sentry): its stored metric, factor and form.
struct MetricMapping {
  /// The form of a metric's points.
  enum Shape {
    /// A monotonic sum.
    case counter
    /// A value at an instant; `isWhole` if it was sent as an integer.
    case level(isWhole: Bool)
    case buckets
  }

  let reference: MetricReference
  /// Whether the metric is custom, outside the catalogue.
  let isOwn: Bool
  /// What the labels of a catalogue metric name; nil if it has no labels, and for a custom metric.
  let labelledBy: String?
  /// The factor from the sent unit to the stored unit.
  let factor: Double
  /// Whether the unit was missing or unknown and therefore assumed.
  let isUnitGuessed: Bool
  /// Whether a sum is stored as one sample of a distribution, like MetricKit's daily writes.
  let isCounterSample: Bool

  init(name: String, unit: ClientUnit, _ shape: Shape) throws(MetricRefusal) {
    let mapped = OTLPMetricNames.catalogued(name)
    guard let metric = Catalogue.metric(named: mapped ?? name) else {
      self = try Self(own: OTLPMetricNames.allowed(name), unit, shape)
      return
    }
    isCounterSample = try Self.check(metric, shape, isMapped: mapped != nil)
    (factor, isUnitGuessed) = try unit.factor(into: metric)
    reference = .known(metric.number)
    (isOwn, labelledBy) = (false, metric.labelledBy)
  }

  private init(own name: String, _ unit: ClientUnit, _ shape: Shape) throws(MetricRefusal) {
    if name.isEmpty { throw MetricRefusal("a metric has no name") }
    let kept =
      switch shape {
      case .counter, .level(isWhole: true): unit.own(isFraction: false)
      case .level, .buckets: unit.own(isFraction: true)
      }
    var kind = Metric.Kind.distribution
    if case .counter = shape { kind = .counter }
    reference = MetricReference(name: name, unit: kept.unit, kind: kind)
    (isOwn, labelledBy) = (true, nil)
    (factor, isUnitGuessed, isCounterSample) = (kept.factor, kept.isGuess, false)
  }

  /// Throws unless the catalogue metric accepts this form. A metric stores percentiles or sums, not both, and metrics
  /// that Plumb computes cannot be sent. Returns whether a sum is stored as one sample.
  private static func check(_ metric: Metric, _ shape: Shape, isMapped: Bool) throws(MetricRefusal) -> Bool {
    let isCounted = [Catalogue.sessions, Catalogue.users, Catalogue.payloads].contains(metric.number)
    if isCounted || metric.kind == .ratio || metric.kind == .rate {
      throw MetricRefusal("\(metric.name) is computed by the server and cannot be sent")
    }
    switch (metric.kind, shape) {
    case (.counter, .counter), (.distribution, .level), (.distribution, .buckets): return false
    case (.distribution, .counter) where isMapped: return true
    case (.counter, _): throw MetricRefusal("\(metric.name) is a sum; send it as a counter (OTLP: a monotonic Sum)")
    default:
      throw MetricRefusal("\(metric.name) is a distribution; send it as a histogram or as single values (a gauge)")
    }
  }
}

extension MetricReference {
  /// Whether the metric is custom, outside the catalogue.
  var isOwn: Bool {
    switch self {
    case .known: false
    case .custom: true
    }
  }
}
