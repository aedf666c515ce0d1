import Foundation

@testable import Core
@testable import Storage

/// The rows of a query with everything of one name added up, because stores may keep parts of it in several rows.
struct RowSums: Equatable {
  struct Name: Hashable {
    let metric: MetricReference
    let label: String
    let source: Source
    let bin: TimeBin
    let member: String
  }

  private(set) var sums: [Name: Aggregate] = [:]

  /// Bins of a day, or of the window, are added up, too, if the query leaves that to the store.
  init(_ rows: [MetricRow], of query: RowQuery) {
    for row in rows {
      let bin =
        switch query.bins {
        case .finest: row.bin
        case .days: TimeBin(row.bin.day)
        case .window: TimeBin(query.window.from)
        }
      let name = Name(metric: row.metric, label: row.label, source: row.source, bin: bin, member: row.member)
      if sums[name] == nil { sums[name] = row.aggregate } else { sums[name]?.merge(row.aggregate) }
    }
    // A row whose sessions or users have all left may stay, or not.
    sums = sums.filter { !$0.value.isVacated }
  }
}
