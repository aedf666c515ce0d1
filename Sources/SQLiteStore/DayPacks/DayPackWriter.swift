import Core
import GRDB
import Storage

/// A writer of single packs.
struct DayPackWriter: ~Copyable {
  private let database: Database
  private let select: RawStatement
  private let insert: RawStatement
  private let update: RawStatement
  private var encoder: DayPackEncoder

  init(_ database: Database) throws {
    let select = try RawStatement(database, sql: "SELECT body FROM \(RowTables.packs) WHERE id = ?")
    let insert = try RawStatement(database, sql: "INSERT INTO \(RowTables.packs) (id, received, body) VALUES (?, ?, ?)")
    let update = try RawStatement(
      database, sql: "UPDATE \(RowTables.packs) SET received = max(received, ?2), body = ?3 WHERE id = ?1")
    (self.database, self.select, self.insert, self.update) = (database, select, insert, update)
    encoder = DayPackEncoder()
  }

  /// Replaces a pack with the result of `encode` on the stored one. Returns the damaged rows.
  mutating func write(
    to key: DayPackKey, received day: Int, leaving rows: inout RowBatch,
    _ encode: (UnsafeRawBufferPointer?, inout DayPackEncoder) -> Void
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

  /// Adds a cell's series, sorted by key, to its pack. Series of one key, such as names beyond the limit, which all are
  /// "(other)", become one.
  mutating func add(
    _ series: CellSeries, _ order: [(key: SeriesKey, index: Int)], to key: DayPackKey, received day: Int,
    leaving rows: inout RowBatch
  ) throws -> [RowKey] {
    try write(to: key, received: day, leaving: &rows) { stored, encoder in
      encoder.begin(stored)
      var next = 0
      while next < order.count {
        let (key, position) = order[next]
        next += 1
        guard next < order.count, order[next].key == key else {
          encoder.add(series, at: position, to: key)
          continue
        }
        var sum = series.aggregate(at: position)
        while next < order.count, order[next].key == key {
          sum.merge(series.aggregate(at: order[next].index))
          next += 1
        }
        encoder.add(sum, to: key)
      }
      encoder.end()
    }
  }
}
