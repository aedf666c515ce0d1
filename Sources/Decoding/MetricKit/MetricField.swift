internal import JSON
internal import Telemetry

/// A member of a payload's sections that is a metric of the catalogue.
struct MetricField: @unchecked Sendable {
  // Invariant behind @unchecked: `key` points to bytes that are written once and never freed.

  /// How the member is written, and what becomes of it.
  enum Shape {
    /// A histogram: spans.
    case histogram
    /// One number for the day: one sample.
    case sample
    /// A sum over the day.
    case counter
  }

  /// Its bytes live as long as the process, so that looking for a key counts no references.
  let key: UnsafeBufferPointer<UInt8>
  /// The metric's number in the catalogue.
  let metric: UInt16
  let shape: Shape
  let format: MeasurementFormat
  /// Its last bucket takes everything beyond.
  let isCensored: Bool

  /// The field called `key`; nil when no metric has it.
  static func named(_ key: JSONText) -> MetricField? {
    guard key.count < byLength.count else { return nil }
    for field in byLength[key.count] where key == field.key { return field }
    return nil
  }

  private init(key: String, _ metric: Metric) {
    self.key = .immortal(key)
    self.metric = metric.number
    let daily = metric.weight == .deviceDay
    shape = metric.kind == .counter ? .counter : daily ? .sample : .histogram
    format = metric.name == "cpu.instructions" ? .instructions : MeasurementFormat(writtenFor: metric.unit)
    isCensored = metric.name == "hang.duration"
  }

  /// Exits stand in two sections under the same keys, and ratios name more than a key.
  private static let all: [MetricField] = Catalogue.metrics.compactMap { metric in
    guard let key = metric.metricKit, metric.kind == .counter || metric.kind == .distribution,
      !metric.name.hasPrefix("exits."), !key.utf8.contains(UInt8(ascii: " "))
    else { return nil }
    return MetricField(key: key, metric)
  }

  /// The fields whose key is as many bytes long as the index says.
  private static let byLength: [[MetricField]] = {
    var table = [[MetricField]](repeating: [], count: (all.map(\.key.count).max() ?? 0) + 1)
    for field in all { table[field.key.count].append(field) }
    return table
  }()
}

extension UnsafeBufferPointer<UInt8> {
  /// A copy of a text's UTF-8 that is never freed. For tables that are made once.
  static func immortal(_ text: String) -> Self {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = bytes.initialize(from: text.utf8)
    return Self(bytes)
  }
}
