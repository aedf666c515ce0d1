import Storage
import Telemetry

/// A metric that two releases can be compared by.
struct ComparedMetric: Hashable {
  let name: String
  let unit: MetricUnit
  let kind: Metric.Kind

  /// What the catalogue says; nil for a custom one.
  var entry: Metric? { Catalogue.metric(named: name) }
}

/// What two releases measured, and the series that can be compared.
struct ReleasePair {
  /// Series of one release, from all sources.
  struct Side {
    /// As reports read it: a user of two classes of devices is one user.
    let whole: [String: [Series]]
    /// By class of device.
    let classes: [String: [Series]]
    fileprivate let metrics: [MetricReference]

    init(whole: SeriesSet, classes: SeriesSet) {
      func byName(_ set: SeriesSet) -> [String: [Series]] {
        Dictionary(grouping: set.series.lazy.filter(\.label.isEmpty)) { $0.metric.name }
      }
      self.whole = byName(whole)
      self.classes = byName(classes)
      metrics = whole.series.map(\.metric)
    }
  }

  private let base: Side
  private let head: Side
  private let found: Set<ComparedMetric>

  init(base: Side, head: Side) {
    self.base = base
    self.head = head
    found = Set((base.metrics + head.metrics).flatMap(ComparedMetric.measured))
  }

  /// In the catalogue's order, custom ones by name behind them.
  var metrics: [ComparedMetric] {
    found.sorted { one, other in
      let (left, right) = (one.entry.map { Int($0.number) } ?? .max, other.entry.map { Int($0.number) } ?? .max)
      return (left, one.name, one.unit.rawValue) < (right, other.name, other.unit.rawValue)
    }
  }

  /// The series of a metric on the days both releases have it, from one source.
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
      SeriesGroup(whole: read(side.whole), classes: Dictionary(grouping: read(side.classes), by: \.member))
    }
    return SeriesPair(source: source, days: shared.count, base: group(base), head: group(head))
  }

  /// The busiest of the sources that both releases have; of all sources where they share none.
  private func source(of main: String, _ metric: ComparedMetric) -> Source? {
    func weights(_ series: [Series]?) -> [Source: Int64] {
      var weights: [Source: Int64] = [:]
      for series in series ?? [] where metric.measures(series) {
        weights[series.source] = (weights[series.source] ?? 0).addingSaturated(series.weight)
      }
      return weights
    }
    let (ours, theirs) = (weights(base.whole[main]), weights(head.whole[main]))
    let all = ours.merging(theirs) { $0.addingSaturated($1) }
    let shared = all.filter { ours[$0.key] != nil && theirs[$0.key] != nil }
    return (shared.isEmpty ? all : shared).max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
  }
}

extension ComparedMetric {
  /// What two releases can be compared by where both have rows of a metric.
  fileprivate static func measured(by metric: MetricReference) -> [ComparedMetric] {
    if metric == .known(Catalogue.sessions) {
      return ["sessions.crash_free", "users.crash_free_daily"].map {
        ComparedMetric(name: $0, unit: .ratio, kind: .ratio)
      }
    }
    // A total grows with the number of phones: two totals say nothing about releases.
    guard !HealthReader.internalMetrics.contains(metric), metric.kind != .counter else { return [] }
    return [ComparedMetric(name: metric.name, unit: metric.unit, kind: metric.kind)]
  }

  /// A client's own metric may come in several units, each of them a metric by itself.
  fileprivate func measures(_ series: Series) -> Bool { series.metric.name != name || series.metric.unit == unit }
}

/// One metric of two releases.
struct SeriesPair {
  var source: Source?
  /// Days both have; 0 when the series hold days of one only.
  var days = 0
  var base = SeriesGroup(whole: [], classes: [:])
  var head = SeriesGroup(whole: [], classes: [:])
}

/// One metric of one release from one source: all devices, and by their class.
struct SeriesGroup {
  let whole: [Series]
  let classes: [String: [Series]]
}
