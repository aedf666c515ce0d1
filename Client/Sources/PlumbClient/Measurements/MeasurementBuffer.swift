import Foundation

/// Measurements that are not in a file yet. Adding one only takes a lock, and memory does not grow with their number.
final class MeasurementBuffer: @unchecked Sendable {
  /// The most series of one document. Further ones are counted under the label `(other)` of their metric.
  static let mostSeries = 500
  private static let mostMetrics = 100

  private struct Key: Hashable {
    var metric: Metric
    var label: String
    var isCounter: Bool
  }

  // Invariant: all variables are used with `lock` held.
  private let lock = NSLock()
  private var distributions: [Key: Values] = [:]
  private var counters: [Key: Double] = [:]
  private var began: Date?
  private var changes = 0
  private var rejected = 0
  private var isRecording = true
  private let clock: ClientClock

  init(clock: ClientClock) { self.clock = clock }

  /// Adds one value of a distribution. Values that are negative or not finite are counted and left out.
  func add(_ value: Double, _ metric: Metric, label: String = "") {
    change(metric, label, value, isCounter: false) { key in
      distributions[key, default: Values(isCount: metric.unit == .count)].add(value)
    }
  }

  /// Adds to a sum.
  func count(_ value: Double, _ metric: Metric, label: String = "") {
    change(metric, label, value, isCounter: true) { key in
      counters[key] = min(1e15, counters[key, default: 0] + value)
    }
  }

  /// Sets whether measurements are recorded. If not, the present ones are deleted.
  func set(isRecording: Bool) {
    lock.lock()
    defer { lock.unlock() }
    self.isRecording = isRecording
    guard !isRecording else { return }
    clear()
    rejected = 0
  }

  /// Increases with every change, so that unchanged data is not written again.
  var version: Int {
    lock.lock()
    defer { lock.unlock() }
    return changes
  }

  /// The number of values left out since the last call.
  func takeRejected() -> Int {
    lock.lock()
    defer { lock.unlock() }
    defer { rejected = 0 }
    return rejected
  }

  /// All measurements as a document; nil if there are none. `clearing`: the buffer is empty afterwards.
  func document(
    _ origin: Origin, installation: String?, firstRun: FirstRun? = nil, clearing: Bool
  ) -> NativeDocument? {
    lock.lock()
    defer { lock.unlock() }
    guard !distributions.isEmpty || !counters.isEmpty else { return nil }
    var document = NativeDocument(origin, installation: installation, firstRun: firstRun)
    let at = began.flatMap { $0.isPlausible ? $0.milliseconds : nil }
    var measurements: [NativeDocument.Measurement] = []
    var histograms: [NativeDocument.Histogram] = []
    for (key, values) in distributions.sorted(by: { Self.precedes($0.key, $1.key) }) {
      let label = key.label.isEmpty ? nil : key.label
      for sample in values.samples {
        measurements.append(
          .init(metric: key.metric.name, value: sample, unit: key.metric.unit.rawValue, label: label, at: at))
      }
      guard let histogram = values.histogram else { continue }
      histograms.append(
        .init(
          metric: key.metric.name, bounds: histogram.bounds, counts: histogram.counts, unit: key.metric.unit.rawValue,
          label: label, at: at))
    }
    document.measurements = measurements.isEmpty ? nil : measurements
    document.histograms = histograms.isEmpty ? nil : histograms
    document.counters =
      counters.isEmpty
      ? nil
      : counters.sorted(by: { Self.precedes($0.key, $1.key) }).map { key, sum in
        .init(
          metric: key.metric.name, value: sum, unit: key.metric.unit.rawValue,
          label: key.label.isEmpty ? nil : key.label,
          at: at)
      }
    if clearing { clear() }
    return document
  }

  private func clear() {
    distributions = [:]
    counters = [:]
    began = nil
  }

  private func change(
    _ metric: Metric, _ label: String, _ value: Double, isCounter: Bool, _ body: (Key) -> Void
  ) {
    lock.lock()
    defer { lock.unlock() }
    guard isRecording else { return }
    guard value >= 0, value <= 1e15 else {
      rejected += 1
      return
    }
    var key = Key(
      metric: metric, label: label.utf8.count <= 100 ? label : String(label.prefix(100)), isCounter: isCounter)
    if distributions.count + counters.count >= Self.mostSeries, !has(key) {
      key.label = "(other)"
      guard has(key) || distributions.count + counters.count < Self.mostSeries + Self.mostMetrics else {
        rejected += 1
        return
      }
    }
    if began == nil { began = clock.now() }
    changes += 1
    body(key)
  }

  private func has(_ key: Key) -> Bool { key.isCounter ? counters[key] != nil : distributions[key] != nil }

  private static func precedes(_ left: Key, _ right: Key) -> Bool {
    (left.metric.name, left.label) < (right.metric.name, right.label)
  }
}
