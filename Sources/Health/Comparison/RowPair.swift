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

/// The rows of two releases by class of device, and the series that can be compared.
struct RowPair {
  let base: [String: [MetricRow]]
  let head: [String: [MetricRow]]
  private let found: Set<ComparedMetric>

  init(base: [MetricRow], head: [MetricRow]) {
    self.base = Dictionary(grouping: base) { $0.metric.name }
    self.head = Dictionary(grouping: head) { $0.metric.name }
    var found: Set<ComparedMetric> = []
    for row in base + head {
      if row.metric == .known(Catalogue.sessions) {
        for name in ["sessions.crash_free", "users.crash_free_daily"] {
          found.insert(ComparedMetric(name: name, unit: .ratio, kind: .ratio))
        }
      } else if !HealthReader.internalMetrics.contains(row.metric), row.metric.kind != .counter {
        // A total grows with the number of phones: two totals say nothing about releases.
        found.insert(ComparedMetric(name: row.metric.name, unit: row.metric.unit, kind: row.metric.kind))
      }
    }
    self.found = found
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
    func days(_ all: [String: [MetricRow]]) -> Set<CalendarDay> {
      Set((all[main] ?? []).lazy.filter { $0.source == source && metric.measures($0) }.map(\.bin.day))
    }
    let shared = days(base).intersection(days(head))
    func group(_ all: [String: [MetricRow]]) -> SeriesGroup {
      SeriesGroup(
        names.flatMap { name in
          (all[name] ?? []).filter { row in
            row.source == source && metric.measures(row) && (shared.isEmpty || shared.contains(row.bin.day))
          }
        })
    }
    return SeriesPair(source: source, days: shared.count, base: group(base), head: group(head))
  }

  /// The busiest of the sources that both releases have; of all sources where they share none.
  private func source(of main: String, _ metric: ComparedMetric) -> Source? {
    func weights(_ rows: [MetricRow]?) -> [Source: Int64] {
      var weights: [Source: Int64] = [:]
      for row in rows ?? [] where metric.measures(row) {
        weights[row.source] = (weights[row.source] ?? 0).addingSaturated(row.aggregate.weight)
      }
      return weights
    }
    let (ours, theirs) = (weights(base[main]), weights(head[main]))
    let all = ours.merging(theirs) { $0.addingSaturated($1) }
    let shared = all.filter { ours[$0.key] != nil && theirs[$0.key] != nil }
    return (shared.isEmpty ? all : shared).max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
  }
}

extension ComparedMetric {
  /// A client's own metric may come in several units, each of them a metric by itself.
  fileprivate func measures(_ row: MetricRow) -> Bool { row.metric.name != name || row.metric.unit == unit }
}

/// One metric of two releases.
struct SeriesPair {
  var source: Source?
  /// Days both have; 0 when the series hold days of one only.
  var days = 0
  var base = SeriesGroup([])
  var head = SeriesGroup([])
}

/// One metric of one release: all devices, and by their class.
struct SeriesGroup {
  let whole: [Series]
  let classes: [String: [Series]]

  init(_ rows: [MetricRow]) {
    whole = SeriesSet(rows, isWhole: true).chosen
    classes = Dictionary(grouping: rows, by: \.member).mapValues { SeriesSet($0).chosen }
  }
}
