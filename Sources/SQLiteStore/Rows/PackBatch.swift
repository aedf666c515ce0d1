import Bytes
import Foundation
import GRDB
import Storage
import Telemetry

/// The changes of day packs in a batch, merged in memory so that each pack is read and written once.
struct PackBatch {
  private var indices: [PackKey: Int] = [:]
  private var keys: [PackKey] = []
  private var packs: [DayPack] = []
  /// The number of series in the packs.
  private(set) var count = 0

  /// The days for which rollups stay packed. Pages read one metric over many days, so older days are rows by metric.
  static let days = 35

  /// The key of the pack for a day's data; nil if it is kept in rows of its own, because it is old already.
  static func key(slice: Int64, _ bin: TimeBin, source: UInt8, received: CalendarDay) -> PackKey? {
    guard bin.resolution == .day, received.number - bin.day.number < days else { return nil }
    return PackKey(slice: slice, day: bin.day, source: source)
  }

  /// Adds a payload's or cell's series, given in their order in `series`, to one pack.
  mutating func add(
    _ series: [SeriesDelta], _ order: [(key: SeriesKey, index: Int)], to key: PackKey, received day: Int
  ) {
    let index = index(of: key)
    let before = packs[index].count
    packs[index].received = max(packs[index].received, day)
    for entry in order { packs[index].add(series[entry.index].aggregate, to: entry.key) }
    count += packs[index].count - before
  }

  mutating func add(_ aggregate: Aggregate, _ series: SeriesKey, to key: PackKey, received day: Int) {
    let index = index(of: key)
    let before = packs[index].count
    packs[index].received = max(packs[index].received, day)
    packs[index].add(aggregate, to: series)
    count += packs[index].count - before
  }

  private mutating func index(of key: PackKey) -> Int {
    if let known = indices[key] { return known }
    indices[key] = keys.count
    keys.append(key)
    packs.append(DayPack())
    return keys.count - 1
  }

  /// Reads, merges and writes every pack in the order of ids. Damaged series are replaced, and their keys returned.
  func write(to database: Database) throws -> [RowKey] {
    let select = try RowStatement(database, sql: "SELECT body FROM day_pack WHERE id = ?")
    let insert = try RowStatement(database, sql: "INSERT INTO day_pack (id, received, body) VALUES (?, ?, ?)")
    let update = try RowStatement(
      database, sql: "UPDATE day_pack SET received = max(received, ?2), body = ?3 WHERE id = ?1")
    var damaged: [RowKey] = []
    var writer = ByteWriter(reserving: 4096)
    var scratch = ByteWriter(reserving: 1024)
    for index in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
      let key = keys[index]
      writer.removeAll()
      select.bind(key.id, at: 1)
      let found = try select.blob { packs[index].encode(into: &writer, with: $0, scratch: &scratch) }
      if found == nil { _ = packs[index].encode(into: &writer, with: nil, scratch: &scratch) }
      damaged += found?.map(key.row) ?? []
      let statement = found == nil ? insert : update
      statement.bind(key.id, at: 1)
      statement.bind(Int64(packs[index].received), at: 2)
      try writer.withBytes { try statement.execute(with: $0, at: 3) }
    }
    return damaged
  }
}

/// Stored packs of one slice.
struct PackTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Passes each pack of a slice from one day to another (not included) to `body`.
  func forEach(
    of slice: Int64, from start: CalendarDay, to end: CalendarDay,
    _ body: (PackKey, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let statement = try RowStatement(
      database, sql: "SELECT id, body FROM day_pack WHERE id >= ? AND id < ? ORDER BY id")
    statement.bind(PackKey.first(of: slice, from: start), at: 1)
    statement.bind(PackKey.first(of: slice, from: end), at: 2)
    try statement.forEachRow { try body(PackKey(id: $0), $1) }
  }

  func isEmpty(_ slice: Int64) throws -> Bool {
    try Int.fetchOne(database.cachedStatement(sql: "SELECT 1 \(Self.ofSlice) LIMIT 1"), arguments: Self.range(slice))
      == nil
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
  func move(_ slice: Int64, to home: Int64, atMost: Int = .max) throws -> Int {
    var moved = PackBatch()
    let keys = try take(of: slice, before: PackKey.ids(of: slice).upperBound, atMost: atMost) {
      key, received, series, sum in
      guard let target = PackKey(slice: home, day: key.day, source: key.source) else { return }
      moved.add(sum, series, to: target, received: received)
    }
    _ = try moved.write(to: database)
    return keys
  }

  /// Writes packs of a rollup from before a day as rows. Returns the number of packs and the damaged rows.
  func unpack(_ slice: Int64, before day: CalendarDay, atMost: Int) throws -> (count: Int, damaged: [RowKey]) {
    var rows = RowBatch(table: "marginal")
    let count = try take(of: slice, before: PackKey.first(of: slice, from: day), atMost: atMost) {
      key, received, series, sum in rows.add(sum, to: key.row(series), received: received)
    }
    return (count, try rows.write(to: database))
  }

  /// Deletes the lowest packs of a slice and passes their series to `body`. Damaged series are dropped.
  private func take(
    of slice: Int64, before end: Int64, atMost: Int, _ body: (PackKey, Int, SeriesKey, Aggregate) -> Void
  ) throws -> Int {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, received, body \(Self.ofSlice) ORDER BY id LIMIT ?"),
      arguments: [PackKey.ids(of: slice).lowerBound, end, atMost])
    let delete = try database.cachedStatement(sql: "DELETE FROM day_pack WHERE id = ?")
    for row in rows {
      let key = PackKey(id: try row.value(0))
      try delete.execute(arguments: [key.id])
      let received: Int = (try? row.value(1)) ?? 0
      try row.withUnsafeData(atIndex: 2) { data in
        data?.withUnsafeBytes { bytes in
          var reader = PackReader(bytes)
          while let (series, bytes) = reader.next() {
            var reader = ByteReader(bytes)
            if let sum = try? Aggregate(from: &reader) { body(key, received, series, sum) }
          }
        }
      }
    }
    return rows.count
  }

  private static let ofSlice = "FROM day_pack WHERE id >= ? AND id < ?"

  private static func range(_ slice: Int64) -> StatementArguments {
    [PackKey.ids(of: slice).lowerBound, PackKey.ids(of: slice).upperBound]
  }

  /// The SQL condition that the slice of the row `slice` has packs.
  static let exist =
    "EXISTS (SELECT 1 FROM day_pack WHERE day_pack.id >= slice.id << 26 AND day_pack.id < (slice.id + 1) << 26)"
}
