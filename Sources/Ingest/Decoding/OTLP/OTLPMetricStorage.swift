internal import Core

/// How the points of a metric are stored.
final class OTLPMetricStorage {
  let mapping: MetricMapping
  /// The mapping of values that were sent as integers.
  let whole: MetricMapping
  /// Nil for levels, which are stored as sent.
  let temporality: OTLPAggregationTemporality?
  /// The metric as sent.
  fileprivate let name: String
  fileprivate let unit: String
  fileprivate let kind: OTLPMetricData.Kind?
  fileprivate let sent: (temporality: OTLPAggregationTemporality, isMonotonic: Bool)

  /// Whether a value is stored as a sample of a distribution. A sum of a metric that has percentiles is one, too.
  var isSample: Bool { temporality == nil || mapping.isCounterSample }

  /// Throws if the metric cannot be stored.
  init(_ metric: OTLPMetric) throws(MetricRefusal) {
    let temporality = metric.data.aggregationTemporality
    var isLevel = false
    switch metric.data.kind {
    case .summary, nil: throw MetricRefusal("a Summary has quantiles, which cannot be merged; send a Histogram")
    case .gauge: isLevel = true
    case .sum, .histogram, .exponentialHistogram:
      guard temporality == .delta || temporality == .cumulative else {
        throw MetricRefusal("aggregationTemporality must be 1 (delta) or 2 (cumulative)")
      }
      // A monotonic sum is a counter. Any other is a level that may fall, such as the length of a queue.
      isLevel = metric.data.kind == .sum && !metric.data.isMonotonic
      guard !isLevel || temporality == .cumulative else {
        throw MetricRefusal("a delta of a non-monotonic Sum cannot be stored; send it as cumulative or as a Gauge")
      }
    }
    let unit = ClientUnit(ucum: metric.unit)
    if isLevel {
      mapping = try MetricMapping(name: metric.name, unit: unit, .level(isWhole: false))
      whole = mapping.isOwn ? try MetricMapping(name: metric.name, unit: unit, .level(isWhole: true)) : mapping
    } else {
      mapping = try MetricMapping(name: metric.name, unit: unit, metric.data.kind == .sum ? .counter : .buckets)
      whole = mapping
      guard !mapping.isCounterSample || temporality == .delta else {
        throw MetricRefusal("the metric has one value per device and day; send it as a Gauge or with delta temporality")
      }
    }
    self.temporality = isLevel ? nil : temporality
    (name, self.unit, kind) = (metric.name, metric.unit, metric.data.kind)
    sent = (temporality, metric.data.isMonotonic)
  }

  fileprivate func isMade(of metric: OTLPMetric) -> Bool {
    Self.haveSameBytes(name, metric.name) && Self.haveSameBytes(unit, metric.unit) && kind == metric.data.kind
      && sent == (metric.data.aggregationTemporality, metric.data.isMonotonic)
  }

  /// Unlike `==`, which also holds for texts that Unicode calls equivalent. Those are different metrics.
  private static func haveSameBytes(_ text: String, _ other: String) -> Bool {
    guard text.utf8.count == other.utf8.count else { return false }
    return text.utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) } ?? bytes.elementsEqual(other.utf8)
    } ?? text.utf8.elementsEqual(other.utf8)
  }
}

/// The storage of metrics that a decoder has read, because an app sends the same metrics again and again. Each place has
/// the latest metric that belongs there, so no request makes a search longer.
final class OTLPMetricStorages {
  private var places = [OTLPMetricStorage?](repeating: nil, count: 1 << bits)

  private static let bits = 6
  /// The longest name and unit that are kept, in bytes. Longer ones would keep their memory until others replace them.
  private static let longest = DecodingLimits.metricNameBytes

  /// How a metric is stored. Throws if it cannot be stored.
  func storage(of metric: OTLPMetric) throws(MetricRefusal) -> OTLPMetricStorage {
    let place = Self.place(of: metric.name)
    if let known = places[place], known.isMade(of: metric) { return known }
    let new = try OTLPMetricStorage(metric)
    if metric.name.utf8.count + metric.unit.utf8.count <= Self.longest { places[place] = new }
    return new
  }

  /// The upper bits of a hash of the name's beginning (FNV-1a).
  private static func place(of name: String) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8.prefix(longest) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(64 - bits))
  }
}
