import Core
import Foundation
import Storage

/// The changes of day packs of rollups in a batch, merged in memory so that each pack is read and written once.
struct DayPackBatch {
  private var sums: [DayPackSums] = []
  /// The index of each pack's changes in `sums`.
  private var packs: [DayPackKey: Int] = [:]
  /// The index of the sum for four rollups of a day, which is kept once instead of four times.
  private var groups: [Group: Int] = [:]
  /// The number of series in the packs.
  private(set) var count = 0

  private struct Group: Hashable {
    let packs: [DayPackKey]
  }

  /// The number of days for which rollups stay packed. Pages read one metric over many days, so older days are stored
  /// as rows by metric.
  static let days = 35

  /// Whether the data of a bin is packed. Fine or old data is stored as rows.
  static func isPacked(_ bin: TimeBin, received: CalendarDay) -> Bool {
    // Future days are also not packed, so that names in packs outlive them.
    bin.resolution == .day && (-1..<days).contains(received.number - bin.day.number)
  }

  /// Adds a cell's series, in the order of `order`, to the packs of its rollups, which are in the order of
  /// `SliceKey.rollups`.
  mutating func add(
    _ series: CellSeries, _ order: [(key: SeriesKey, index: Int)], to rollups: [DayPackKey], received day: Int
  ) {
    // OS version and device are separate; the others, which have few combinations, are grouped.
    let group = Group(packs: rollups.indices.filter { $0 != 2 && $0 != 3 }.map { rollups[$0] })
    var targets = [Self.index(of: group, in: &groups, &sums)]
    for index in [2, 3] where index < rollups.count {
      targets.append(Self.index(of: rollups[index], in: &packs, &sums))
    }
    for target in targets {
      count -= sums[target].count
      sums[target].received = max(sums[target].received, day)
      sums[target].add(series, order)
      count += sums[target].count
    }
  }

  /// Adds a series to a pack.
  mutating func add(_ aggregate: Aggregate, _ series: SeriesKey, to key: DayPackKey, received day: Int) {
    let index = Self.index(of: key, in: &packs, &sums)
    count -= sums[index].count
    sums[index].add(aggregate, to: series)
    sums[index].received = max(sums[index].received, day)
    count += sums[index].count
  }

  private static func index<Key: Hashable>(of key: Key, in known: inout [Key: Int], _ sums: inout [DayPackSums]) -> Int
  {
    if let index = known[key] { return index }
    sums.append(DayPackSums())
    known[key] = sums.count - 1
    return sums.count - 1
  }

  /// Reads, merges and writes every pack in the order of ids. Series that do not fit are added to `rows`. Damaged
  /// series are replaced, and their keys returned.
  mutating func write(by writer: inout DayPackWriter, leaving rows: inout RowBatch) throws -> [RowKey] {
    for (group, sum) in groups {
      for key in group.packs {
        let index = Self.index(of: key, in: &packs, &sums)
        sums[index].merge(sums[sum])
      }
      sums[sum] = DayPackSums()
    }
    groups = [:]
    var damaged: [RowKey] = []
    for (key, index) in packs.sorted(by: { $0.key < $1.key }) {
      damaged += try writer.write(to: key, received: sums[index].received, leaving: &rows) {
        sums[index].encode(with: $0, by: &$1)
      }
    }
    packs = [:]
    sums = []
    count = 0
    return damaged
  }
}

/// The order of a payload's series. Most payloads have the same series in the same order.
struct PackOrder {
  private var keys: [SeriesKey] = []
  private var order: [Int] = []

  mutating func sorted(_ series: [(key: SeriesKey, index: Int)]) -> [(key: SeriesKey, index: Int)] {
    if keys.count != series.count || !zip(keys, series).allSatisfy({ $0 == $1.key }) {
      keys = series.map(\.key)
      order = series.indices.sorted { series[$0].key < series[$1].key }
    }
    return order.map { series[$0] }
  }
}
