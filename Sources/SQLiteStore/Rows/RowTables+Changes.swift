import Core
import Foundation
import GRDB
import Storage

/// The deletion of rows, and changes of single rows.
extension RowTables {
  /// Deletes the rows of a slice on some days. Returns their number.
  @discardableResult func delete(of slice: Int64, on days: ClosedRange<Int>) throws -> Int {
    var count = 0
    for table in Table.allCases {
      try database.cachedStatement(sql: "DELETE FROM \(table.rawValue) WHERE slice = ? AND start >= ? AND start < ?")
        .execute(arguments: [slice, days.lowerBound * 1440, (days.upperBound + 1) * 1440])
      if table != .daySums { count += database.changesCount }
    }
    try database.cachedStatement(sql: "DELETE \(Self.ofPacks)").execute(arguments: Self.packArguments(of: slice, days))
    return count + database.changesCount
  }

  /// Deletes metrics of a slice. Returns the number of deleted rows and series.
  func delete(_ metrics: Set<Int64>, of slice: Int64) throws -> Int {
    var count = 0
    for table in Table.allCases {
      let delete = try database.cachedStatement(
        sql: "DELETE FROM \(table.rawValue) WHERE slice = ? AND metric = ?")
      for metric in metrics {
        try delete.execute(arguments: [slice, metric])
        if table != .daySums { count += database.changesCount }
      }
    }
    let packs = try Int64.fetchAll(
      database.cachedStatement(sql: "SELECT id \(Self.ofPacks)"), arguments: Self.packArguments(of: slice))
    for pack in packs {
      try edit(PackKey(id: pack)) { key, sum in
        guard metrics.contains(key.metric) else { return sum }
        count += 1
        return nil
      }
    }
    return count
  }

  /// Deletes all rows of a slice.
  func deleteAll(of slice: Int64) throws {
    for table in Table.allCases {
      try database.execute(sql: "DELETE FROM \(table.rawValue) WHERE slice = ?", arguments: [slice])
    }
    try database.execute(sql: "DELETE FROM \(Self.packs) WHERE id >> 26 = ?", arguments: [slice])
  }

  /// Deletes daily sums from before a minute, whose fine rows became daily rows.
  func deleteDaySums(before minute: Int = .max) throws {
    try database.execute(sql: "DELETE FROM \(Table.daySums.rawValue) WHERE start < ?", arguments: [minute])
  }

  /// The statements that delete the rows of `:app` slice by slice. Each is repeated until it changes nothing.
  static let deletions: [(sql: String, isCounted: Bool)] =
    Table.allCases.map { table in
      (
        """
        DELETE FROM \(table.rawValue) WHERE slice = (SELECT id FROM slice WHERE app = :app
          AND EXISTS (SELECT 1 FROM \(table.rawValue) WHERE slice = slice.id) LIMIT 1)
        """, table != .daySums
      )
    } + [
      (
        """
        DELETE FROM \(packs) WHERE id IN (SELECT id FROM \(packs)
          WHERE id >> 26 IN (SELECT id FROM slice WHERE app = :app) LIMIT 20000)
        """, true
      )
    ]

  /// The expired rows of some slices.
  struct Expired {
    /// The id before the first slice, and the id of the last one.
    let (after, through): (Int64, Int64)
    /// The days of receipt before which rows of cells and of rollups are expired.
    let (cells, rollups): (Int, Int)

    fileprivate var selections: [(sql: String, arguments: StatementArguments)] {
      let rows = [(Table.cells, cells), (.rollups, rollups)].map { table, day in
        (
          "FROM \(table.rawValue) WHERE slice > ? AND slice <= ? AND received < ?",
          [after, through, day] as StatementArguments
        )
      }
      let range: StatementArguments = [
        PackKey.ids(of: after + 1).lowerBound, through == .max ? .max : PackKey.ids(of: through).upperBound,
      ]
      let packs = [("=", cells), ("<>", rollups)].map { kind, day in
        (
          """
          \(ofPacks) AND received < ? AND EXISTS (SELECT 1 FROM slice WHERE slice.id = \(RowTables.packs).id >> 26
            AND kind \(kind) \(SliceKind.cell.number))
          """, range + [day]
        )
      }
      return rows + packs
    }
  }

  /// Whether there is anything to delete. `received` has no index, because maintaining it would cost every batch more
  /// than this scan.
  func has(_ expired: Expired) throws -> Bool {
    try expired.selections.contains {
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 \($0.sql))", arguments: $0.arguments) ?? false
    }
  }

  func delete(_ expired: Expired) throws {
    for selection in expired.selections {
      try database.execute(sql: "DELETE \(selection.sql)", arguments: selection.arguments)
    }
  }

  // MARK: Changing single rows

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
      guard let pack = PackKey(slice: series.slice, day: series.bin.day, source: series.source) else { return }
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
  private func edit(_ key: PackKey, _ change: (SeriesKey, Aggregate) -> Aggregate?) throws {
    let select = try database.cachedStatement(sql: "SELECT body FROM \(Self.packs) WHERE id = ?")
    guard let row = try Row.fetchOne(select, arguments: [key.id]) else { return }
    var pack = DayPack()
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
    var pack = DayPack()
    _ = body.withUnsafeBytes { PackReader.forEachSeries(of: $0) { pack.add($1, to: $0) } }
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
