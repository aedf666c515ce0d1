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
    func rows(_ all: [String: [MetricRow]]) -> [MetricRow] {
      names.flatMap { all[$0] ?? [] }.filter { $0.metric.name != metric.name || $0.metric.unit == metric.unit }
    }
    let (ours, theirs) = (rows(base), rows(head))
    let main = names.first ?? metric.name
    let isMain = { (row: MetricRow) in row.metric.name == main }
    let shared = Set(ours.filter(isMain).map(\.source)).intersection(theirs.filter(isMain).map(\.source))
    let candidates = (ours + theirs).filter { isMain($0) && (shared.isEmpty || shared.contains($0.source)) }
    guard let source = SeriesSet(candidates.map(\.whole)).chosen.first?.source else { return SeriesPair() }
    let days = Set(ours.filter { isMain($0) && $0.source == source }.map(\.bin.day))
      .intersection(theirs.filter { isMain($0) && $0.source == source }.map(\.bin.day))
    let isUsed = { (row: MetricRow) in row.source == source && (days.isEmpty || days.contains(row.bin.day)) }
    return SeriesPair(
      source: source, days: days.count, base: SeriesGroup(ours.filter(isUsed)), head: SeriesGroup(theirs.filter(isUsed))
    )
  }
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
    whole = SeriesSet(rows.map(\.whole)).chosen
    classes = Dictionary(grouping: rows, by: \.member).mapValues { SeriesSet($0).chosen }
  }
}

extension MetricRow {
  /// The row as one of all devices.
  var whole: MetricRow {
    var row = self
    row.member = ""
    return row
  }
}
