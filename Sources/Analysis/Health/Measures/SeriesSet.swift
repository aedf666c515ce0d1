import Core
import Storage

/// Rows merged into series: one for each metric, label, source and member.
struct SeriesSet {
  /// All series, including series of several sources that measure the same metric.
  private(set) var series: [Series] = []
  private var numbers = KeyNumbers<Key>()
  private let isWhole: Bool

  private struct Key: Hashable {
    let metric: MetricReference
    let label: String
    let source: Source
    let member: String
  }

  /// Creates a set without rows. `isWhole`: merges all members into one without a name.
  init(isWhole: Bool = false) { self.isWhole = isWhole }

  init(_ rows: some Sequence<MetricRow>, isWhole: Bool = false) {
    self.init(isWhole: isWhole)
    for row in rows { add(row) }
  }

  mutating func add(_ row: MetricRow) {
    let key = Key(metric: row.metric, label: row.label, source: row.source, member: isWhole ? "" : row.member)
    let index = numbers.number(of: key)
    if index == series.count {
      series.append(Series(metric: key.metric, label: key.label, source: key.source, member: key.member))
      series[index].expectDays()
    }
    series[index].add(row)
  }

  /// Notes how much of each day is known.
  mutating func note(_ arrived: ReportingCompleteness) {
    for index in series.indices { series[index].arrived = arrived.bySource[series[index].source] }
  }

  /// For each metric, label and member, only the series of the source with the most data. Data of sources that measure
  /// the same metric are never added.
  var chosen: [Series] { Self.chosen(of: series) }

  /// The chosen series among `series`.
  static func chosen(of series: [Series]) -> [Series] {
    var best: [Choice: Series] = [:]
    for candidate in series {
      let choice = Choice(metric: candidate.metric, label: candidate.label, member: candidate.member)
      if let rival = best[choice], !candidate.outweighs(rival) { continue }
      best[choice] = candidate
    }
    return Array(best.values)
  }

  private struct Choice: Hashable {
    let metric: MetricReference
    let label: String
    let member: String
  }
}
