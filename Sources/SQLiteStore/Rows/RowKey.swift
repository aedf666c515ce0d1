import GRDB
import Storage

/// The key of a metric row: the ids of its slice, metric and label, its time bin and its source.
struct RowKey: Hashable {
  var slice: Int64
  var metric: Int64
  var bin: TimeBin
  /// The label's id; 0 for the sum over all labels.
  var label: Int64 = 0
  var source: UInt8

  /// The values in the order of `RowTables.key`.
  var arguments: StatementArguments {
    [slice, metric, bin.start, Int(bin.resolution.rawValue), label, Int(source)]
  }
}

extension RowKey {
  /// The key in the first columns of a row.
  init(_ row: Row) throws {
    guard let resolution = TimeBin.Resolution(rawValue: try row.value(3)) else {
      throw StoreError.damaged("invalid value for its resolution")
    }
    self.init(
      slice: try row.value(0), metric: try row.value(1),
      bin: TimeBin(start: try row.minute(2), resolution: resolution), label: try row.value(4), source: try row.value(5))
  }
}
