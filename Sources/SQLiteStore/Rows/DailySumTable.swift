import GRDB
import Storage

/// The table `daily`: the daily sums of fine rollups. At any time it equals the sum of the existing fine rows.
struct DailySumTable {
  private let database: Database

  static let table = "daily"

  init(_ database: Database) { self.database = database }

  /// Adds the changes of fine rows in a batch.
  @discardableResult func add(_ rollups: RowBatch) throws -> [RowKey] {
    try rollups.sumsByDay(into: Self.table).write(to: database)
  }

  /// Deletes the days whose fine rows were merged into rows of whole days.
  func drop(before minute: Int) throws {
    try database.execute(sql: "DELETE FROM \(Self.table) WHERE start < ?", arguments: [minute])
  }

  /// Computes all sums, for a database from a version without them.
  func fillIfEmpty() throws {
    let isFilled = try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (SELECT 1 FROM \(Self.table)) OR NOT EXISTS (SELECT 1 FROM marginal WHERE resolution > 0)
        """)
    guard isFilled == false else { return }
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT slice, metric, start, resolution, label, source, received, body FROM marginal WHERE resolution > 0
        """)
    var batch = RowBatch(table: "marginal")
    while let row = try rows.next() {
      guard let resolution = TimeBin.Resolution(rawValue: try row.value(3)) else { continue }
      let bin = TimeBin(start: try row.value(2), resolution: resolution)
      let key = RowKey(
        slice: try row.value(0), metric: try row.value(1), bin: bin, label: try row.value(4), source: try row.value(5))
      batch.add(try RowBatch.aggregate(in: row, at: 7), to: key, received: try row.value(6))
      if batch.count >= Self.rowsAtOnce {
        try add(batch)
        batch = RowBatch(table: "marginal")
      }
    }
    try add(batch)
  }

  /// The most rows in memory while all daily sums are computed.
  private static let rowsAtOnce = 20_000
}
