import Core
import GRDB
import Storage

/// The totals of whole days in each environment. If two ways of counting a day give equal totals, they have counted the
/// same data.
struct DayTotals: Equatable {
  private var sums: [Key: Aggregate] = [:]

  private struct Key: Hashable {
    let day: CalendarDay
    let environment: String
    let metric: MetricReference
    let label: String
    let source: Source
  }

  init(
    of app: AppID, on days: Set<CalendarDay>, environments: [String]? = nil, release: String? = nil,
    _ database: Database
  ) throws {
    let names =
      try environments
      ?? String.fetchAll(
        database, sql: "SELECT DISTINCT name FROM environment WHERE app = ?", arguments: [app])
    let queries = MetricRowQueries(database)
    for range in DayRemoval.ranges(of: days) {
      let window = Window(from: CalendarDay(number: range.lowerBound), to: CalendarDay(number: range.upperBound))
      for name in names {
        for byLabel in release == nil ? [false, true] : [false] {
          let slice = Slice(environment: name, release: release)
          let query = RowQuery(app: app, slice: slice, window: window, byLabel: byLabel, bins: .days)
          try queries.forEachRow(of: query) { add($0, name) }
        }
      }
    }
  }

  private mutating func add(_ row: MetricRow, _ environment: String) {
    let key = Key(
      day: row.bin.day, environment: environment, metric: row.metric, label: row.label, source: row.source)
    guard !row.aggregate.isVacated else { return }
    if var sum = sums[key] {
      sum.merge(row.aggregate)
      sums[key] = sum
    } else {
      sums[key] = row.aggregate
    }
  }

  var isEmpty: Bool { sums.isEmpty }

  /// These totals without labelled rows.
  var unlabelled: DayTotals {
    var totals = self
    totals.sums = sums.filter { $0.key.label.isEmpty }
    return totals
  }
}
