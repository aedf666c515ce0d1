import Core
import GRDB
import Storage

/// Moves rows of slices with retired names to the slices that replace them.
struct SliceMerge {
  private let database: Database

  init(_ database: Database) { self.database = database }

  private static let tables = ["marginal", DailySumTable.table]

  /// The number of rows of a slice, counted up to `most` only.
  func rows(of slice: Int64, upTo most: Int) throws -> Int {
    try Self.tables.reduce(PackTable(database).count(of: slice, upTo: most)) { sum, table in
      let count = try Int.fetchOne(
        database.cachedStatement(sql: "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE slice = ? LIMIT ?)"),
        arguments: [slice, most])
      return sum + (count ?? 0)
    }
  }

  /// Moves all rows of a slice to another and deletes the slice. Damaged rows are set aside.
  func move(_ slice: Int64, to home: Int64) throws {
    guard slice != home else { return }
    for table in Self.tables { try move(slice, to: home, in: table) }
    _ = try PackTable(database).move(slice, to: home)
    try database.cachedStatement(sql: "DELETE FROM slice WHERE id = ?").execute(arguments: [slice])
  }

  /// Moves some rows and returns their number. Rows of sessions and users are left: they move with the slice itself,
  /// because sessions are subtracted from the rows to which they were added.
  func movePart(_ slice: Int64, to home: Int64, atMost: Int) throws -> Int {
    guard slice != home else { return 0 }
    return try Self.tables.reduce(PackTable(database).move(slice, to: home, atMost: atMost)) { moved, table in
      moved + (moved < atMost ? try move(slice, to: home, in: table, part: atMost - moved) : 0)
    }
  }

  /// Moves some rows of a cell to the cell with the current names and returns their number. Sessions may still refer to
  /// the old cell: the rows of both cells are read under the same names, so that their sum is right.
  func moveCell(_ cell: Int64, to home: Int64, atMost: Int) throws -> Int {
    guard cell != home else { return 0 }
    let packs = try PackTable(database).move(cell, to: home, table: "cell", atMost: atMost)
    return packs + (try move(cell, to: home, in: "cell", part: atMost))
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
      guard let key = try? Self.key(of: row, in: home), let aggregate = try? RowBatch.aggregate(in: row, at: 6)
      else {
        let damaged = DamagedRow(row, of: table, key: ["slice \(slice)"], body: 6)
        try QuarantineTable(database).add([damaged])
        continue
      }
      batch.add(aggregate, to: key, received: (try? row.value(5)) ?? 0)
    }
    try batch.write(to: database)
    return rows.count
  }

  private static func key(of row: Row, in slice: Int64) throws -> RowKey {
    guard let resolution = TimeBin.Resolution(rawValue: try row.value(2)) else {
      throw StoreError.damaged("resolution of a row")
    }
    return RowKey(
      slice: slice, metric: try row.value(0), bin: TimeBin(start: try row.minute(1), resolution: resolution),
      label: try row.value(3), source: try row.value(4))
  }
}

extension NameRegistry {
  /// Moves rows of retired names, within the limit of a batch. The next compaction moves the rest.
  mutating func moveRows(in database: Database) throws {
    guard !unmoved.isEmpty else { return }
    let fold = SliceMerge(database)
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
