import Core
import Foundation
import GRDB
import Storage

/// The changes of day packs of rollups in a batch, merged in memory so that each pack is read and written once.
struct PackBatch {
  private var sums: [DayPack] = []
  /// The index of each pack's changes in `sums`.
  private var packs: [PackKey: Int] = [:]
  /// The index of the sum for four rollups of a day, which is kept once instead of four times.
  private var groups: [Group: Int] = [:]
  /// The number of series in the packs.
  private(set) var count = 0

  private struct Group: Hashable {
    let packs: [PackKey]
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
    _ series: [SeriesDelta], _ order: [(key: SeriesKey, index: Int)], to rollups: [PackKey], received day: Int
  ) {
    // OS version and device are separate; the others, which have few combinations, are grouped.
    let group = Group(packs: rollups.indices.filter { $0 != 2 && $0 != 3 }.map { rollups[$0] })
    var targets = [Self.index(of: group, in: &groups, &sums)]
    for index in [2, 3] where index < rollups.count {
      targets.append(Self.index(of: rollups[index], in: &packs, &sums))
    }
    for target in targets {
      count -= sums[target].count
      if sums[target].count == 0 { sums[target].reserve(order.count) }
      sums[target].received = max(sums[target].received, day)
    }
    for entry in order {
      // Read once for all targets: a copy costs as much as an addition.
      let aggregate = series[entry.index].aggregate
      for target in targets { sums[target].add(aggregate, to: entry.key) }
    }
    for target in targets { count += sums[target].count }
  }

  /// Adds a series to a pack.
  mutating func add(_ aggregate: Aggregate, _ series: SeriesKey, to key: PackKey, received day: Int) {
    let index = Self.index(of: key, in: &packs, &sums)
    count -= sums[index].count
    sums[index].add(aggregate, to: series)
    sums[index].received = max(sums[index].received, day)
    count += sums[index].count
  }

  private static func index<Key: Hashable>(of key: Key, in known: inout [Key: Int], _ sums: inout [DayPack]) -> Int {
    if let index = known[key] { return index }
    sums.append(DayPack())
    known[key] = sums.count - 1
    return sums.count - 1
  }

  /// Reads, merges and writes every pack in the order of ids. Series that do not fit are added to `rows`. Damaged
  /// series are replaced, and their keys returned.
  mutating func write(by writer: inout PackWriter, leaving rows: inout RowBatch) throws -> [RowKey] {
    for (group, sum) in groups {
      for key in group.packs {
        let index = Self.index(of: key, in: &packs, &sums)
        sums[index].merge(sums[sum])
      }
      sums[sum] = DayPack()
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

/// A writer of single packs.
struct PackWriter: ~Copyable {
  private let database: Database
  private let select: RawStatement
  private let insert: RawStatement
  private let update: RawStatement
  private var encoder: PackEncoder

  init(_ database: Database) throws {
    let select = try RawStatement(database, sql: "SELECT body FROM \(RowTables.packs) WHERE id = ?")
    let insert = try RawStatement(database, sql: "INSERT INTO \(RowTables.packs) (id, received, body) VALUES (?, ?, ?)")
    let update = try RawStatement(
      database, sql: "UPDATE \(RowTables.packs) SET received = max(received, ?2), body = ?3 WHERE id = ?1")
    (self.database, self.select, self.insert, self.update) = (database, select, insert, update)
    encoder = PackEncoder()
  }

  /// Replaces a pack with the result of `encode` on the stored one. Returns the damaged rows.
  mutating func write(
    to key: PackKey, received day: Int, leaving rows: inout RowBatch,
    _ encode: (UnsafeRawBufferPointer?, inout PackEncoder) -> Void
  ) throws -> [RowKey] {
    try select.bind(key.id, at: 1)
    let found: Void? = try select.blob { encode($0, &encoder) }
    if found == nil { encode(nil, &encoder) }
    for series in encoder.refused { rows.add(series.aggregate, to: key.row(series.key), received: day) }
    let statement = found == nil ? insert : update
    try statement.bind(key.id, at: 1)
    try statement.bind(Int64(day), at: 2)
    try encoder.writer.withBytes { try statement.execute(with: $0, at: 3) }
    let damaged = encoder.damaged
    guard !damaged.isEmpty else { return [] }
    try QuarantineTable(database).add(damaged.map { DamagedRow(RowTables.packs, key.row($0.key), bytes: $0.bytes) })
    return damaged.map { key.row($0.key) }
  }

  /// Adds a cell's series to its pack.
  mutating func add(
    _ series: [SeriesDelta], _ order: [(key: SeriesKey, index: Int)], to key: PackKey, received day: Int,
    leaving rows: inout RowBatch
  ) throws -> [RowKey] {
    try write(to: key, received: day, leaving: &rows) { stored, encoder in
      encoder.begin(stored)
      for entry in order { encoder.add(series[entry.index].aggregate, to: entry.key) }
      encoder.end()
    }
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
