import Core
import Foundation
import GRDB
import Storage

/// Changes of single rows.
extension RowTables {
  /// The aggregate of a row; nil if there is no such row.
  func aggregate(at key: RowKey, in table: Table) throws -> Aggregate? {
    let statement = try database.cachedStatement(sql: "SELECT body FROM \(table.rawValue) \(Self.atKey)")
    return try Row.fetchOne(statement, arguments: key.arguments).map { try RowBatch.aggregate(in: $0, at: 0) }
  }

  /// Replaces the aggregate of a row; nil deletes the row.
  func replace(_ key: RowKey, in table: Table, by sum: Aggregate?) throws {
    guard let sum else {
      return try database.cachedStatement(sql: "DELETE FROM \(table.rawValue) \(Self.atKey)")
        .execute(arguments: key.arguments)
    }
    var writer = ByteWriter(reserving: 256)
    sum.encode(into: &writer)
    try database.cachedStatement(sql: "UPDATE \(table.rawValue) SET body = ? \(Self.atKey)")
      .execute(arguments: [Data(writer.bytes)] + key.arguments)
  }

  /// Changes the data of a series on a day: the row that is nearest to `minute` or, without one, the series in the
  /// day's pack. It is deleted if `change` returns nil.
  func change(
    _ series: RowKey, near minute: Int, in table: Table, _ change: (Aggregate) -> Aggregate?
  ) throws {
    let start = series.bin.day.number * 1440
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT \(Self.columns) FROM \(table.rawValue) WHERE slice = ? AND metric = ? AND start >= ? AND start < ?
          AND label = ? AND source = ? ORDER BY start > ?, abs(start - ?) LIMIT 1
          """),
      arguments: [series.slice, series.metric, start, start + 1440, series.label, series.source, minute, minute])
    guard let row else {
      guard let pack = DayPackKey(slice: series.slice, day: series.bin.day, source: series.source) else { return }
      return try edit(pack) { key, sum in
        key == SeriesKey(metric: series.metric, label: series.label) ? change(sum) : sum
      }
    }
    let key = try RowKey(row)
    try replace(key, in: table, by: change(RowBatch.aggregate(in: row, at: 7)))
    guard table == .rollups, key.bin.resolution != .day else { return }
    var day = key
    day.bin = TimeBin(key.bin.day)
    if let sum = try aggregate(at: day, in: .daySums) { try replace(day, in: .daySums, by: change(sum)) }
  }

  /// Changes the series of a pack. Series for which `change` returns nil are removed, and an empty pack is deleted.
  func edit(_ key: DayPackKey, _ change: (SeriesKey, Aggregate) -> Aggregate?) throws {
    let select = try database.cachedStatement(sql: "SELECT body FROM \(Self.packs) WHERE id = ?")
    guard let row = try Row.fetchOne(select, arguments: [key.id]) else { return }
    var pack = DayPackSums()
    var isChanged = false
    try Self.forEachSeries(of: row, at: 0) { series, sum in
      let rest = change(series, sum)
      if rest != sum { isChanged = true }
      if let rest { pack.add(rest, to: series) }
    }
    guard isChanged else { return }
    guard pack.count > 0 else {
      return try database.cachedStatement(sql: "DELETE FROM \(Self.packs) WHERE id = ?").execute(arguments: [key.id])
    }
    try database.cachedStatement(sql: "UPDATE \(Self.packs) SET body = ? WHERE id = ?")
      .execute(arguments: [pack.encoded, key.id])
  }

  /// Writes the readable series of a damaged pack back; returns false if there are none.
  func repack(_ id: DatabaseValue, _ body: Data) throws -> Bool {
    var pack = DayPackSums()
    _ = body.withUnsafeBytes { DayPackReader.forEachSeries(of: $0) { pack.add($1, to: $0) } }
    guard pack.count > 0 else { return false }
    // An unreadable day of receipt is replaced by the day of the pack.
    try database.execute(
      sql: """
        UPDATE \(Self.packs) SET body = ?, received =
          CASE typeof(received) WHEN 'integer' THEN received ELSE (id >> 4 & \(1 << 22 - 1)) - \(1 << 20) END
        WHERE id IS ?
        """, arguments: [pack.encoded, id])
    return true
  }
}
