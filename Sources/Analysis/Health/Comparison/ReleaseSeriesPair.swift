import Core
import Statistics
import Storage

/// A metric by which two releases can be compared.
struct ComparedMetric: Hashable {
  let name: String
  let unit: MetricUnit
  let kind: Metric.Kind

  /// The metric's entry in the catalogue; nil for a custom one.
  var entry: Metric? { Catalogue.metric(named: name) }
}

/// The series of two releases. Finds the metrics by which they can be compared and, for each metric, the common source
/// and days.
struct ReleaseSeriesPair {
  /// The series of one release, from all sources, by metric name.
  struct Side {
    /// Series over all devices. A user with devices of two classes counts once.
    let whole: [String: [Series]]
    /// Series for each device class, by the metric's name.
    let classes: [String: [Series]]
    fileprivate let metrics: [MetricReference]

    /// `label`: the label to compare; empty for all labels together.
    init(whole: SeriesSet, classes: SeriesSet, label: String = "") {
      self.init(
        whole: whole.series.filter { $0.label == label }, classes: classes.series.filter { $0.label == label })
    }

    init(whole: [Series], classes: [Series]) {
      self.whole = Dictionary(grouping: whole) { $0.metric.name }
      self.classes = Dictionary(grouping: classes) { $0.metric.name }
      metrics = whole.map(\.metric)
    }
  }

  private let base: Side
  private let head: Side
  private let found: Set<ComparedMetric>

  init(base: Side, head: Side) {
    self.base = base
    self.head = head
    var found = Set((base.metrics + head.metrics).flatMap(ComparedMetric.measured))
    // All clients send sessions, but few send their hangs.
    let hangs = "sessions.hang_free"
    if [base, head].contains(where: { Measure.named(hangs, in: $0.whole["sessions"] ?? []) != nil }) {
      found.insert(ComparedMetric(name: hangs, unit: .ratio, kind: .ratio))
    }
    self.found = found
  }

  enum SideName { case base, head }

  /// The side without data; nil if both or neither have data.
  var sideWithoutData: SideName? {
    switch (base.metrics.isEmpty, head.metrics.isEmpty) {
    case (true, false): .base
    case (false, true): .head
    case (true, true), (false, false): nil
    }
  }

  /// The metrics in the catalogue's order, then custom metrics by name.
  var metrics: [ComparedMetric] {
    found.sorted { one, other in
      let (left, right) = (one.entry.map { Int($0.number) } ?? .max, other.entry.map { Int($0.number) } ?? .max)
      return (left, one.name, one.unit.rawValue) < (right, other.name, other.unit.rawValue)
    }
  }

  /// The series of a metric from one source, on the days on which both releases have data.
  func series(of metric: ComparedMetric) -> SeriesPair {
    let names = Measure.storedNames(of: metric.name)
    let main = names.first ?? metric.name
    guard let source = source(of: main, metric) else { return SeriesPair() }
    func own(_ all: [String: [Series]], _ name: String) -> [Series] {
      (all[name] ?? []).filter { $0.source == source && metric.measures($0) }
    }
    let shared = Set(own(base.whole, main).flatMap(\.allDays)).intersection(own(head.whole, main).flatMap(\.allDays))
    func read(_ all: [String: [Series]]) -> [Series] {
      let series = names.flatMap { own(all, $0) }
      return shared.isEmpty ? series : series.compactMap { $0.restricted(to: shared) }
    }
    func group(_ side: Side) -> SeriesGroup {
      let classes = Dictionary(grouping: read(side.classes), by: \.member)
      return SeriesGroup(whole: read(side.whole).map { Self.withPartition($0, classes) }, classes: classes)
    }
    return SeriesPair(source: source, days: shared.count, base: group(base), head: group(head))
  }

  /// The series with its values by device class, which are also used to estimate correlation in reports on one release.
  private static func withPartition(_ series: Series, _ classes: [String: [Series]]) -> Series {
    guard case .distribution = series.firstPart else { return series }
    let parts = classes.sorted { $0.key < $1.key }.compactMap { _, own in
      own.first { $0.metric == series.metric && $0.label == series.label }.map {
        IntraclassCorrelationSums(sum: $0.distributions)
      }
    }
    guard parts.count > 1 else { return series }
    var copy = series
    copy.partitions = [parts]
    return copy
  }

  /// The source with the most data among the sources of both releases; among all sources if they have none in common.
  private func source(of main: String, _ metric: ComparedMetric) -> Source? {
    func weights(_ series: [Series]?) -> [Source: Int64] {
      var weights: [Source: Int64] = [:]
      for series in series ?? [] where metric.measures(series) {
        weights[series.source] = (weights[series.source] ?? 0).saturatingAdd(series.weight)
      }
      return weights
    }
    let (ours, theirs) = (weights(base.whole[main]), weights(head.whole[main]))
    let all = ours.merging(theirs) { $0.saturatingAdd($1) }
    let shared = all.filter { ours[$0.key] != nil && theirs[$0.key] != nil }
    return (shared.isEmpty ? all : shared).max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
  }
}

extension ComparedMetric {
  /// The compared metrics that are computed from a stored metric.
  fileprivate static func measured(by metric: MetricReference) -> [ComparedMetric] {
    if metric == .known(Catalogue.sessions) {
      return ["sessions.crash_free", "users.crash_free_daily"].map {
        ComparedMetric(name: $0, unit: .ratio, kind: .ratio)
      }
    }
    // A total grows with the number of devices, so totals of two releases cannot be compared.
    guard !HealthReader.internalMetrics.contains(metric), metric.kind != .counter else { return [] }
    return [ComparedMetric(name: metric.name, unit: metric.unit, kind: metric.kind)]
  }

  /// Whether a series belongs to this metric. A custom metric may arrive in several units; each unit is a separate
  /// metric.
  fileprivate func measures(_ series: Series) -> Bool { series.metric.name != name || series.metric.unit == unit }
}

/// The series of one metric for two releases.
struct SeriesPair {
  var source: Source?
  /// The number of days on which both releases have data; 0 if only one has data.
  var days = 0
  var base = SeriesGroup(whole: [], classes: [:])
  var head = SeriesGroup(whole: [], classes: [:])
}

/// The series of one metric of one release from one source: over all devices, and for each device class.
struct SeriesGroup {
  let whole: [Series]
  let classes: [String: [Series]]
}
