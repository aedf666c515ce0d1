import GRDB
import Storage

/// The deletion of rows.
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
      try edit(DayPackKey(id: pack)) { key, sum in
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
        DayPackKey.ids(of: after + 1).lowerBound, through == .max ? .max : DayPackKey.ids(of: through).upperBound,
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
}
