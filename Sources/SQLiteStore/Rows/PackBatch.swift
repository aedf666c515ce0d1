import Core
import Foundation
import GRDB
import Storage

/// The changes of day packs of rollups in a batch, merged in memory so that each pack is read and written once.
struct PackBatch {
  private var sums: [DayPack] = []
  /// The index of each pack's changes in `sums`.
  private var packs: [PackKey: Int] = [:]
  /// The index of what is to be added to four rollups of a day: one sum instead of four.
  private var groups: [Group: Int] = [:]
  /// The number of series in the packs.
  private(set) var count = 0

  private struct Group: Hashable {
    let packs: [PackKey]
  }

  /// The days for which rollups stay packed. Pages read one metric over many days, so older days are rows by metric.
  static let days = 35

  /// Whether the data of a bin is packed, or kept in rows of its own, because it is fine or old already.
  static func isPacked(_ bin: TimeBin, received: CalendarDay) -> Bool {
    // Not of days to come either, so that names that stand in packs outlive them.
    bin.resolution == .day && (-1..<days).contains(received.number - bin.day.number)
  }

  /// Adds a cell's series, given in their order in `series`, to the packs of its rollups, which stand in the order of
  /// `SliceKey.rollups`.
  mutating func add(
    _ series: [SeriesDelta], _ order: [(key: SeriesKey, index: Int)], to rollups: [PackKey], received day: Int
  ) {
    // System and device on their own; the others, of which there are few combinations, together.
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
      // Read once for all targets: a copy costs as much as adding it.
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

  /// Reads, merges and writes every pack in the order of ids. Series that have no room are added to `rows`. Damaged
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

/// Writes single packs.
struct PackWriter: ~Copyable {
  private let database: Database
  private let select: RowStatement
  private let insert: RowStatement
  private let update: RowStatement
  private var encoder: PackEncoder

  init(_ database: Database) throws {
    let select = try RowStatement(database, sql: "SELECT body FROM day_pack WHERE id = ?")
    let insert = try RowStatement(database, sql: "INSERT INTO day_pack (id, received, body) VALUES (?, ?, ?)")
    let update = try RowStatement(
      database, sql: "UPDATE day_pack SET received = max(received, ?2), body = ?3 WHERE id = ?1")
    (self.database, self.select, self.insert, self.update) = (database, select, insert, update)
    encoder = PackEncoder()
  }

  /// Replaces a pack by what `encode` makes of the stored one. Returns the rows that were damaged.
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
    try QuarantineTable(database).add(damaged.map { DamagedRow("day_pack", key.row($0.key), bytes: $0.bytes) })
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

/// Sorts the series of payloads, most of which have the same ones in the same order.
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

/// Stored packs of one slice.
struct PackTable {
  let database: Database

  init(_ database: Database) { self.database = database }

  /// Passes each pack of a slice from one day to another (not included) to `body`.
  func forEach(
    of slice: Int64, from start: CalendarDay, to end: CalendarDay,
    _ body: (PackKey, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let statement = try RowStatement(
      database, sql: "SELECT id, body FROM day_pack WHERE id >= ? AND id < ? ORDER BY id")
    try statement.bind(PackKey.first(of: slice, from: start), at: 1)
    try statement.bind(PackKey.first(of: slice, from: end), at: 2)
    try statement.forEachRow { row in
      try body(PackKey(id: try row.integer(0)), row.bytes(1))
      return true
    }
  }

  /// The number of packs of a slice, counted up to `most` only.
  func count(of slice: Int64, upTo most: Int) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM (SELECT 1 \(Self.ofSlice) LIMIT ?)"),
      arguments: Self.range(slice) + [most]) ?? 0
  }

  /// The first and last day of a slice's packs.
  func days(of slice: Int64) throws -> ClosedRange<Int>? {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT min(id), max(id) \(Self.ofSlice)"), arguments: Self.range(slice))
    guard let row, let first: Int64 = try row.value(0), let last: Int64 = try row.value(1) else { return nil }
    return PackKey(id: first).day.number...PackKey(id: last).day.number
  }

  /// Adds some packs of a slice to those of another, and deletes them. Returns their number.
  /// Series that have no room in them go to `table`.
  func move(_ slice: Int64, to home: Int64, table: String = "marginal", atMost: Int = .max) throws -> Int {
    var moved = PackBatch()
    let (keys, _) = try take(of: slice, before: PackKey.ids(of: slice).upperBound, atMost: atMost) {
      key, received, series, sum in
      guard let target = PackKey(slice: home, day: key.day, source: key.source) else { return }
      moved.add(sum, series, to: target, received: received)
    }
    var writer = try PackWriter(database)
    var rows = RowBatch(table: table)
    _ = try moved.write(by: &writer, leaving: &rows)
    try rows.write(to: database)
    return keys
  }

  /// Writes packs of a rollup from before a day as rows. Returns the number of packs and the damaged rows.
  func unpack(_ slice: Int64, before day: CalendarDay, atMost: Int) throws -> (count: Int, damaged: [RowKey]) {
    var rows = RowBatch(table: "marginal")
    let (count, damaged) = try take(of: slice, before: PackKey.first(of: slice, from: day), atMost: atMost) {
      key, received, series, sum in rows.add(sum, to: key.row(series), received: received)
    }
    return (count, damaged + (try rows.write(to: database)))
  }

  /// Deletes the lowest packs of a slice and passes their series to `body`. Damaged series are set aside, and their keys
  /// returned.
  private func take(
    of slice: Int64, before end: Int64, atMost: Int, _ body: (PackKey, Int, SeriesKey, Aggregate) -> Void
  ) throws -> (count: Int, damaged: [RowKey]) {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, received, body \(Self.ofSlice) ORDER BY id LIMIT ?"),
      arguments: [PackKey.ids(of: slice).lowerBound, end, atMost])
    let delete = try database.cachedStatement(sql: "DELETE FROM day_pack WHERE id = ?")
    var damaged: [(key: RowKey, bytes: [UInt8])] = []
    for row in rows {
      let key = PackKey(id: try row.value(0))
      try delete.execute(arguments: [key.id])
      let received: Int = (try? row.value(1)) ?? 0
      try row.withUnsafeData(atIndex: 2) { data in
        (data ?? Data()).withUnsafeBytes { bytes in
          let broken = PackReader.forEachSeries(of: bytes) { body(key, received, $0, $1) }
          damaged += broken.map { (key.row($0.key), $0.bytes) }
        }
      }
    }
    try QuarantineTable(database).add(damaged.map { DamagedRow("day_pack", $0.key, bytes: $0.bytes) })
    return (rows.count, damaged.map(\.key))
  }

  private static let ofSlice = "FROM day_pack WHERE id >= ? AND id < ?"

  private static func range(_ slice: Int64) -> StatementArguments {
    [PackKey.ids(of: slice).lowerBound, PackKey.ids(of: slice).upperBound]
  }

  /// The SQL condition that the slice of the row `slice` has packs.
  static let exist =
    "EXISTS (SELECT 1 FROM day_pack WHERE day_pack.id >= slice.id << 26 AND day_pack.id < (slice.id + 1) << 26)"
}
