import Core
import Storage

/// Rows merged into series: one for each metric, label, source and member.
struct SeriesSet {
  /// All series, including series of several sources that measure the same metric.
  private(set) var series: [Series] = []
  private var indexByKey: [Key: Int] = [:]
  /// The index of the series that the last row was added to.
  private var latest = 0
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
    let member = isWhole ? "" : row.member
    // Rows are ordered by series, or by day with the series of each day in the same order.
    if !(latest < series.count && series[latest].holds(row, of: member)) {
      latest = latest + 1 < series.count ? latest + 1 : 0
    }
    if latest < series.count, series[latest].holds(row, of: member) {
      series[latest].add(row)
      return
    }
    let key = Key(metric: row.metric, label: row.label, source: row.source, member: member)
    let index = indexByKey[key] ?? series.count
    if index == series.count {
      indexByKey[key] = index
      series.append(Series(metric: row.metric, label: row.label, source: row.source, member: member))
      series[index].expectDays()
    }
    series[index].add(row)
    latest = index
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
