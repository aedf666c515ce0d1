import GRDB
import Storage
import Telemetry

/// Moves the rows of marginals whose names gave way to the slice that stands for them now.
struct SliceFold {
  private let database: Database

  init(_ database: Database) { self.database = database }

  private static let tables = ["marginal", DailySums.table]

  /// Rows of a slice, counted up to `most`.
  func rows(of slice: Int64, upTo most: Int) throws -> Int {
    try Self.tables.reduce(0) { sum, table in
      let count = try Int.fetchOne(
        database.cachedStatement(sql: "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE slice = ? LIMIT ?)"),
        arguments: [slice, most])
      return sum + (count ?? 0)
    }
  }

  /// Moves all rows and forgets the slice. A damaged row is left out; it could not be read before.
  func move(_ slice: Int64, to home: Int64) throws {
    guard slice != home else { return }
    for table in Self.tables { try move(slice, to: home, in: table) }
    try database.cachedStatement(sql: "DELETE FROM slice WHERE id = ?").execute(arguments: [slice])
  }

  /// Moves some rows that say nothing of sessions or users, and counts them. Those two move with the slice itself: what is
  /// booked out of them has to be where it was booked in.
  func movePart(_ slice: Int64, to home: Int64, atMost: Int) throws -> Int {
    guard slice != home else { return 0 }
    return try Self.tables.reduce(0) { moved, table in
      moved + (moved < atMost ? try move(slice, to: home, in: table, part: atMost - moved) : 0)
    }
  }

  /// Moves some rows of a cell, which sessions may go on to hold, to the one that is about the same today, and counts them.
  /// Both are read under the same names: what is booked out of one was moved to the other, and their sum is right.
  func moveCell(_ cell: Int64, to home: Int64, atMost: Int) throws -> Int {
    cell == home ? 0 : try move(cell, to: home, in: "cell", part: atMost)
  }

  @discardableResult private func move(_ slice: Int64, to home: Int64, in table: String, part: Int? = nil) throws -> Int
  {
    let kept = table == "cell" ? "" : "AND metric NOT IN (\(Catalogue.sessions), \(Catalogue.users)) "
    let condition = part.map { "\(kept)ORDER BY metric, start LIMIT \($0)" } ?? ""
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT metric, start, resolution, label, source, received, body FROM \(table) WHERE slice = ? \(condition)",
      arguments: [slice])
    let delete = try database.cachedStatement(
      sql: """
        DELETE FROM \(table) WHERE slice = ? AND metric = ? AND start = ? AND resolution = ? AND label = ? AND source = ?
        """)
    var batch = RowMerge(table: table)
    for row in rows {
      try delete.execute(
        arguments: [slice] + StatementArguments((0..<5).map { row[$0] as DatabaseValue }))
      guard let place = try? Self.place(of: row, in: home), let aggregate = try? RowBatch.aggregate(in: row, at: 6)
      else {
        continue
      }
      batch.add(aggregate, to: place, received: (try? row.value(5)) ?? 0)
    }
    try batch.write(to: database)
    return rows.count
  }

  private static func place(of row: Row, in slice: Int64) throws -> RowKey {
    guard let resolution = TimeBin.Resolution(rawValue: try row.value(2)) else {
      throw StoreError.damaged("resolution of a row")
    }
    return RowKey(
      slice: slice, metric: try row.value(0), bin: TimeBin(start: try row.minute(1), resolution: resolution),
      label: try row.value(3), source: try row.value(4))
  }
}

extension Interner {
  /// Moves rows of names that gave way, as many as a batch may. What is left is found by the next compaction.
  mutating func moveRows(in database: Database) throws {
    guard !unmoved.isEmpty else { return }
    let fold = SliceFold(database)
    var room = limits.movedRows
    for slice in unmoved {
      let rows = try fold.rows(of: slice, upTo: room + 1)
      guard rows <= room else { continue }
      room -= rows
      let key = try storedKey(of: slice, in: database)
      try fold.move(slice, to: try self.slice(current(key, in: database), in: database))
      slices[key] = nil
      keys[slice] = nil
    }
    unmoved = []
    cellSlices = [:]
  }
}
