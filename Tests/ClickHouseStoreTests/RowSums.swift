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

  /// `days`: whether bins of a day are added up, too.
  init(_ rows: [MetricRow], days: Bool) {
    for row in rows {
      let name = Name(
        metric: row.metric, label: row.label, source: row.source, bin: days ? TimeBin(row.bin.day) : row.bin,
        member: row.member)
      if sums[name] == nil { sums[name] = row.aggregate } else { sums[name]?.merge(row.aggregate) }
    }
    // A row whose sessions or users have all left may stay, or not.
    sums = sums.filter { !$0.value.isVacated }
  }
}
