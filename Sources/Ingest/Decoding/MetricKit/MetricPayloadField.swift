import Core

/// A member of a MetricKit payload's sections that is a catalogue metric.
struct MetricPayloadField: @unchecked Sendable {
  // Safe as Sendable: the bytes behind `key` are written once and never freed.

  /// The form of the member's value, and of the measurement it becomes.
  enum Shape {
    /// A histogram, whose buckets are stored as spans.
    case histogram
    /// One number per day, stored as one sample.
    case sample
    /// A sum over the day, stored as a counter.
    case counter
  }

  /// The JSON key. Its bytes are never freed, so comparing keys needs no reference counting.
  let key: UnsafeBufferPointer<UInt8>
  /// The metric's catalogue number.
  let metric: UInt16
  let shape: Shape
  let format: MeasurementFormat
  /// Whether the last bucket also counts all larger values.
  let isCensored: Bool

  /// The field with this key; nil if no metric has it.
  static func named(_ key: BorrowedJSONString) -> MetricPayloadField? {
    guard key.count < ofLength.count else { return nil }
    for index in ofLength[key.count] where key == all[index].key { return all[index] }
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

  /// All fields, the shortest key first. It excludes exits, because two sections use the same keys, and ratios, which
  /// combine several keys.
  private static let all: [MetricPayloadField] = Catalogue.metrics.compactMap { metric in
    guard let key = metric.metricKit, metric.kind == .counter || metric.kind == .distribution,
      !metric.name.hasPrefix("exits."), !key.utf8.contains(UInt8(ascii: " "))
    else { return nil }
    return MetricPayloadField(key: key, metric)
  }.sorted { $0.key.count < $1.key.count }

  /// The indices in `all` of the fields whose key has this length in bytes.
  private static let ofLength: [Range<Int>] = (0...(all.last?.key.count ?? 0)).map { length in
    let first = all.firstIndex { $0.key.count >= length } ?? all.count
    return first..<(all.firstIndex { $0.key.count > length } ?? all.count)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// A copy of a text's UTF-8 that is never freed, for tables that are built once.
  static func immortal(_ text: String) -> Self {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = bytes.initialize(from: text.utf8)
    return Self(bytes)
  }
}
