import Statistics
import Storage
import Telemetry

/// Rows merged by metric, label, source and member, each with its days.
struct SeriesSet {
  private var series: [Key: Series] = [:]

  private struct Key: Hashable {
    let metric: MetricReference
    let label: String
    let source: Source
    let member: String
  }

  init(_ rows: [MetricRow]) {
    for row in rows {
      let key = Key(metric: row.metric, label: row.label, source: row.source, member: row.member)
      series[key, default: Series(metric: row.metric, label: row.label, source: row.source, member: row.member)]
        .add(row)
    }
  }

  /// All series, the busiest source of each metric, label and member only: sources that measure the same thing are never
  /// added.
  var chosen: [Series] {
    var best: [Choice: Series] = [:]
    for candidate in series.values {
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

/// One metric from one source over a window.
struct Series {
  let metric: MetricReference
  let label: String
  let source: Source
  let member: String
  private(set) var days: [CalendarDay: Aggregate] = [:]

  init(metric: MetricReference, label: String, source: Source, member: String) {
    self.metric = metric
    self.label = label
    self.source = source
    self.member = member
  }

  mutating func add(_ row: MetricRow) {
    let day = row.bin.day
    if days[day] == nil {
      days[day] = row.aggregate
    } else {
      days[day]?.merge(row.aggregate)
    }
  }

  /// The sum over all days; nil without any.
  var total: Aggregate? {
    var days = days.sorted { $0.key < $1.key }.map(\.value)[...]
    guard var sum = days.popFirst() else { return nil }
    for day in days { sum.merge(day) }
    return sum
  }

  /// The days as aggregates, in order.
  var parts: [Aggregate] { days.sorted { $0.key < $1.key }.map(\.value) }

  /// How many payloads gave a pair of numbers.
  var pairs: Int {
    parts.reduce(0) { sum, day in if case .pair(let pair) = day { sum + pair.clusters } else { sum } }
  }

  /// Whether it saw more than a rival that measures the same.
  func outweighs(_ rival: Series) -> Bool {
    (weight, rival.source.rawValue) > (rival.weight, source.rawValue)
  }

  private var weight: Int64 {
    days.values.reduce(0) { sum, day in
      let part: Int64 =
        switch day {
        case .distribution(let histogram): Int64(histogram.count)
        case .counter(let counter): counter.payloads
        case .pair(let pair): Int64(pair.clusters)
        case .sessions(let tally): tally.total
        case .users(let tally): Int64(tally.all.estimate)
        }
      // A hostile client's counts stop at the largest integer: two such days must not trap.
      let (total, overflow) = sum.addingReportingOverflow(part)
      return overflow ? .max : total
    }
  }
}
