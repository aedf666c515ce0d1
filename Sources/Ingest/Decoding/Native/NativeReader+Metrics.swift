internal import Core

extension NativeReader {
  /// Reads one measurement. `metric` and `value` are required.
  mutating func readMeasurement(_ measurement: JSONObject) throws {
    try quota.add(.measurements, at: measurement.value)
    let metric = try NativeMetric(measurement, .distribution)
    let time = try time(measurement["at"])
    let label = try Self.label(measurement)
    if metric.reference.isOwn || !label.isEmpty { try quota.add(.series, at: measurement.value) }
    guard let value = try sample(measurement.requiredOrNull("value"), factor: metric.factor) else { return }
    measurements.append(Measurement(metric.reference, label: label, at: .instant(time), .samples([value])))
  }

  /// Reads one counter. `metric` and `value` are required.
  mutating func readCounter(_ counter: JSONObject) throws {
    try quota.add(.measurements, at: counter.value)
    let metric = try NativeMetric(counter, .counter)
    let time = try time(counter["at"])
    let label = try Self.label(counter)
    if metric.reference.isOwn || !label.isEmpty { try quota.add(.series, at: counter.value) }
    guard let value = try sample(counter.requiredOrNull("value"), factor: metric.factor) else { return }
    measurements.append(Measurement(metric.reference, label: label, at: .instant(time), .counter(value)))
  }

  /// Reads one histogram. `metric`, `bounds` and `counts` are required. n bounds make n + 1 buckets. The first bucket
  /// starts at 0, and the last has no upper edge.
  mutating func readHistogram(_ histogram: JSONObject) throws {
    try quota.add(.measurements, at: histogram.value)
    let metric = try NativeMetric(histogram, .distribution)
    let time = try time(histogram["at"])
    let label = try Self.label(histogram)
    if metric.reference.isOwn || !label.isEmpty { try quota.add(.series, at: histogram.value) }
    let bounds = try Self.bounds(histogram.required("bounds"), factor: metric.factor)
    let counts = try histogram.required("counts")
    try quota.add(.values, bounds.count + 1, at: histogram.value)
    let edges = [0] + bounds + [.infinity]
    var spans: [Span] = []
    var bucket = 0
    for count in try counts.array() {
      guard bucket < edges.count - 1 else { throw Self.wrongNumber(counts, bounds.count) }
      if let count = try self.eventCount(count), count > 0 {
        spans.append(Span(low: edges[bucket], high: edges[bucket + 1], count: count))
      }
      bucket += 1
    }
    guard bucket == edges.count - 1 else { throw Self.wrongNumber(counts, bounds.count) }
    if !spans.isEmpty {
      measurements.append(Measurement(metric.reference, label: label, at: .instant(time), .spans(spans)))
    }
  }

  private mutating func eventCount(_ value: JSONValue) throws -> Int? {
    if !value.isNull, value.kind != .integer, value.kind != .double { throw value.mismatch("an integer") }
    let number = value.isNull ? .nan : try value.number()
    if number.isFinite, number != number.rounded() { throw value.failure("expected a whole number of events") }
    guard number >= 0, number <= DecodingLimits.count, let count = Int(exactly: number) else {
      rejectedSamples += 1
      return nil
    }
    return count
  }

  private static func bounds(_ value: JSONValue, factor: Double) throws -> [Double] {
    var bounds: [Double] = []
    for element in try value.array() {
      guard bounds.count < DecodingLimits.buckets else {
        throw value.failure("a histogram may have at most \(DecodingLimits.buckets) bounds")
      }
      let bound = try element.number() * factor
      guard bound >= 0, bound <= DecodingLimits.value, bound > bounds.last ?? -1 else {
        throw element.failure("bounds must be ascending and at least 0")
      }
      bounds.append(bound)
    }
    return bounds
  }

  private static func wrongNumber(_ counts: JSONValue, _ bounds: Int) -> JSONError {
    counts.failure("expected \(bounds + 1) counts, one more than bounds")
  }

  private static func label(_ item: JSONObject) throws -> String {
    try item["label"].map { try $0.text().kept } ?? ""
  }
}

/// The metric of an item in a native document, with the factor from the item's unit to the metric's.
struct NativeMetric {
  let reference: MetricReference
  let factor: Double

  /// Reads `metric` and `unit`. Values without a unit are in the metric's own unit. A custom metric without a unit is a
  /// `count`.
  init(_ item: JSONObject, _ kind: Metric.Kind) throws {
    let nameValue = try item.required("metric")
    let name = try MetricNameRule.read(nameValue)
    let unitValue = item["unit"]
    let unit = try unitValue.map { try Self.unit($0) }
    if let metric = Catalogue.metric(named: name) {
      try Self.check(metric, kind, nameValue)
      reference = .known(metric.number)
      guard let unit, let unitValue else {
        factor = 1
        return
      }
      guard let converted = unit.factor(into: metric.unit) else {
        throw unitValue.failure("\(name) is stored in \(metric.unit.symbol); this unit cannot be converted")
      }
      factor = converted
    } else {
      reference = .custom(name: name, unit: unit?.canonical ?? .count, kind: kind)
      factor = unit?.factor ?? 1
    }
  }

  private static func unit(_ value: JSONValue) throws -> InputUnit {
    let symbol = try value.text()
    guard symbol.count <= 16, let unit = InputUnit(symbol: symbol.string) else {
      throw value.failure(
        "expected one of \(InputUnit.symbols.joined(separator: ", ")), found \(JSONPath.quoted(symbol.string))")
    }
    return unit
  }

  /// Throws unless the catalogue metric accepts this kind of value. A metric stores percentiles or sums, not both, and
  /// metrics that Plumb computes cannot be sent.
  private static func check(_ metric: Metric, _ kind: Metric.Kind, _ name: JSONValue) throws {
    let isCounted = metric.name == "sessions" || metric.name == "users"
    if isCounted || metric.kind == .ratio || metric.kind == .rate {
      throw name.failure("\(metric.name) is computed by the server and cannot be sent")
    }
    guard metric.kind != kind else { return }
    throw name.failure(
      kind == .counter
        ? "\(metric.name) is a distribution; send it in \"measurements\" or \"histograms\""
        : "\(metric.name) is a sum; send it in \"counters\"")
  }
}
