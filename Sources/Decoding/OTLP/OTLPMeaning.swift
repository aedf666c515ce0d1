internal import OTLPMessages
internal import Telemetry

/// What the values of an OTLP metric are to Plumb.
struct OTLPMeaning {
  /// What a metric's points hold, whatever OTLP calls them.
  enum Shape {
    /// A sum that only grows.
    case counter
    /// A value at a moment; `isWhole` when it was sent as an integer.
    case level(isWhole: Bool)
    case buckets
  }

  let reference: MetricReference
  /// The catalogue's entry; nil for a metric of the client's own.
  let metric: Metric?
  /// What a written value is multiplied with.
  let factor: Double
  /// The unit said nothing about it.
  let isUnitGuessed: Bool
  /// A sum enters a distribution as one sample: MetricKit's daily writes.
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

  /// A metric's rows hold percentiles or sums, not both; and what Plumb computes itself is not for clients to send. True
  /// when a sum is to be one sample.
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
