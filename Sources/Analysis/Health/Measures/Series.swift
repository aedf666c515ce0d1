package import Core
import Statistics
package import Storage
import Synchronization

/// The daily aggregates of one metric from one source over a window.
package struct Series {
  package let metric: MetricReference
  let label: String
  let source: Source
  let member: String
  /// The days with data, in order and without duplicates.
  private var days: [Day] = []
  /// A cache of numbers computed from `days`.
  private(set) var memo = SeriesMemo()
  /// The same values divided by release and by device class; empty if not read.
  var partitions: [[IntraclassCorrelationSums]] = [] { didSet { memo = SeriesMemo() } }

  /// How much of each day is known; nil if nothing is known about delays.
  var arrived: ReportingCompleteness.SourceShares?

  private struct Day {
    let day: CalendarDay
    var aggregate: Aggregate
  }

  init(metric: MetricReference, label: String, source: Source, member: String) {
    self.metric = metric
    self.label = label
    self.source = source
    self.member = member
  }

  mutating func add(_ row: MetricRow) { add(row.aggregate, on: row.bin.day) }

  /// Reserves memory for the days of the default window.
  mutating func expectDays() { days.reserveCapacity(Scope.defaultDays) }

  /// Adds the days of another series.
  mutating func add(_ other: Series) {
    for day in other.days { add(day.aggregate, on: day.day) }
  }

  mutating func add(_ aggregate: Aggregate, on day: CalendarDay) {
    if memo.isUsed { memo = SeriesMemo() }
    if let last = days.indices.last, days[last].day == day {
      days[last].aggregate.merge(aggregate)
      return
    }
    guard let last = days.last?.day, last > day else { return days.append(Day(day: day, aggregate: aggregate)) }
    let index = index(of: day)
    if days[index].day == day {
      days[index].aggregate.merge(aggregate)
    } else {
      days.insert(Day(day: day, aggregate: aggregate), at: index)
    }
  }

  /// A copy of the series with only the days in a window; nil if there are none.
  package func restricted(to window: Window) -> Series? {
    let range = index(of: window.from)..<index(of: window.to + 1)
    guard !range.isEmpty else { return nil }
    var part = Series(metric: metric, label: label, source: source, member: member)
    part.arrived = arrived
    part.days = Array(days[range])
    return part
  }

  /// A copy of the series with only the days in `wanted`; nil if there are none.
  func restricted(to wanted: Set<CalendarDay>) -> Series? {
    var part = Series(metric: metric, label: label, source: source, member: member)
    part.arrived = arrived
    part.days = days.filter { wanted.contains($0.day) }
    return part.days.isEmpty ? nil : part
  }

  /// All days with data.
  var allDays: [CalendarDay] { days.map(\.day) }

  /// The aggregate of a day; nil for a day without rows.
  subscript(day: CalendarDay) -> Aggregate? {
    let index = index(of: day)
    return index < days.count && days[index].day == day ? days[index].aggregate : nil
  }

  /// The index of the first day that is not before `day`.
  private func index(of day: CalendarDay) -> Int {
    var range = 0..<days.count
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      range = days[middle].day < day ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// The first day's aggregate, which is of the same kind as all others; nil without days.
  var firstPart: Aggregate? { days.first?.aggregate }

  /// The days as histograms, in order.
  var distributions: [Histogram] {
    var histograms: [Histogram] = []
    histograms.reserveCapacity(days.count)
    forEachDay { _, aggregate in
      if case .distribution(let histogram) = aggregate { histograms.append(histogram) }
    }
    return histograms
  }

  /// Passes the days to `body`, in order. It avoids a copy of their array, which would be slow because aggregates are
  /// large.
  func forEachDay(_ body: (CalendarDay, Aggregate) -> Void) {
    for index in days.indices { body(days[index].day, days[index].aggregate) }
  }

  /// The number of payloads in a ratio of two sums, such as hang time per foreground time; 0 for other metrics.
  var pairs: Int {
    pairDays.reduce(0) { $0 + $1.clusters }
  }

  /// Whether this series has more data than `rival`, the series of the same metric from another source. The source's
  /// number decides ties.
  func outweighs(_ rival: Series) -> Bool {
    (weight, rival.source.rawValue) > (rival.weight, source.rawValue)
  }

  var weight: Int64 { days.reduce(0) { $0.saturatingAdd($1.aggregate.weight) } }
}

extension Aggregate {
  /// The amount of data in a row, to choose between sources that measure the same.
  var weight: Int64 {
    switch self {
    case .distribution(let histogram): Int64(histogram.count)
    case .counter(let counter): counter.payloads
    case .pair(let pair): Int64(pair.clusters)
    case .sessions(let tally): tally.total
    case .users(let tally): Int64(tally.all.estimate)
    }
  }
}

/// A cache of the numbers computed from a series, because one page uses them several times. Copies of a series share
/// the cache; a change of a series starts a new one.
final class SeriesMemo: Sendable {
  private let measured = Mutex<Measure??>(nil)
  private let united = Mutex<(all: UserUnion, crashed: UserUnion)?>(nil)
  private let used = Atomic(false)

  /// Whether anything has been computed.
  var isUsed: Bool { used.load(ordering: .relaxed) }

  /// The series' measure. The first call computes it with `workOut`; later calls return the cached value.
  func measure(_ workOut: () -> Measure?) -> Measure? {
    measured.withLock { known in
      if let known { return known }
      used.store(true, ordering: .relaxed)
      let measure = workOut()
      known = .some(measure)
      return measure
    }
  }

  /// The distinct users of all days. The first call computes them with `workOut`; later calls return the cached value.
  func union(_ workOut: () -> (all: UserUnion, crashed: UserUnion)) -> (all: UserUnion, crashed: UserUnion) {
    united.withLock { known in
      if let known { return known }
      used.store(true, ordering: .relaxed)
      let union = workOut()
      known = union
      return union
    }
  }
}
