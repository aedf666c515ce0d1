import Core
import Foundation
import GRDB
import Storage

/// The moves of rows: they are removed from their tables and written under another key, as rows instead of packs, or to
/// another store.
extension RowTables {
  /// The rows that were removed from a table.
  struct Taken {
    var count = 0
    /// The number of damaged rows of each app, which were quarantined.
    var damaged: [AppID: Int] = [:]

    static func + (left: Taken, right: Taken) -> Taken {
      Taken(count: left.count + right.count, damaged: left.damaged.merging(right.damaged, uniquingKeysWith: +))
    }
  }

  // MARK: Coarser bins

  /// Merges rows of a resolution from before a minute into coarser ones, at most `atMost` rows.
  func coarsen(
    _ table: Table, _ from: TimeBin.Resolution, _ to: TimeBin.Resolution, before minute: Int, atMost: Int
  ) throws -> Taken {
    // The index has only fine rows, so SQLite needs this condition to use it.
    try rekey(
      table, "resolution > 0 AND resolution = ? AND start < ? LIMIT ?", [Int(from.rawValue), minute, atMost]
    ) { $0.bin = $0.bin.coarsened(to: to) }
  }

  /// The days of slices that have hourly rollup rows from before a minute.
  func hourlyDays(before minute: Int) throws -> [(slice: Int64, day: Int)] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT DISTINCT slice, start / 1440 FROM \(Table.rollups.rawValue)
        WHERE resolution > 0 AND resolution = ? AND start < ? ORDER BY 1, 2
        """, arguments: [Int(TimeBin.Resolution.hour.rawValue), minute]
    ).map { (try $0.value(0), try $0.value(1)) }
  }

  /// Merges the hourly rows of a rollup's day into daily rows, and deletes their daily sum, because pages add up both.
  func coarsen(ofRollup slice: Int64, day: Int) throws -> Taken {
    let start = day * 1440
    let taken = try rekey(
      .rollups, "slice = ? AND resolution = ? AND start >= ? AND start < ?",
      [slice, Int(TimeBin.Resolution.hour.rawValue), start, start + 1440]
    ) { $0.bin = $0.bin.coarsened(to: .day) }
    try database.cachedStatement(sql: "DELETE FROM \(Table.daySums.rawValue) WHERE slice = ? AND start = ?")
      .execute(arguments: [slice, start])
    return taken
  }

  /// The rollups with packs from before a day.
  func packedRollups(before day: CalendarDay) throws -> [Int64] {
    try Int64.fetchAll(
      database,
      sql: """
        SELECT id FROM slice WHERE kind <> ? AND EXISTS (SELECT 1 FROM \(Self.packs)
          WHERE \(Self.packs).id >= slice.id << 26 AND \(Self.packs).id < (slice.id << 26) + ?)
        """, arguments: [SliceKind.cell.number, DayPackKey.first(of: 0, from: day)])
  }

  /// Writes packs of a rollup from before a day as rows.
  func unpack(_ slice: Int64, before day: CalendarDay, atMost: Int) throws -> Taken {
    var rows = RowBatch(.rollups)
    let taken = try takePacks(of: slice, before: DayPackKey.first(of: slice, from: day), atMost: atMost) {
      rows.add($2, to: $0.row($1), received: $3)
    }
    return taken + Taken(damaged: try apps(of: rows.merge(into: database)))
  }

  // MARK: Other names

  /// Moves all rows of a rollup to another one and deletes its slice. Damaged rows are quarantined.
  func moveRollup(_ slice: Int64, to home: Int64) throws {
    guard slice != home else { return }
    for table in [Table.rollups, .daySums] { _ = try rekey(table, "slice = ?", [slice]) { $0.slice = home } }
    try movePacks(slice, to: home, in: .rollups)
    try database.cachedStatement(sql: "DELETE FROM slice WHERE id = ?").execute(arguments: [slice])
  }

  /// Moves some rows and returns their number. Rows of sessions and users stay and move with the slice, because
  /// sessions are subtracted from the rows to which they were added.
  func moveRollup(_ slice: Int64, to home: Int64, atMost: Int) throws -> Int {
    guard slice != home else { return 0 }
    let condition = """
      slice = ? AND metric NOT IN (\(Catalogue.sessions), \(Catalogue.users)) ORDER BY metric, start LIMIT ?
      """
    return try [Table.rollups, .daySums].reduce(movePacks(slice, to: home, in: .rollups, atMost: atMost)) {
      moved, table in
      guard moved < atMost else { return moved }
      return moved + (try rekey(table, condition, [slice, atMost - moved]) { $0.slice = home }.count)
    }
  }

  /// Moves some rows of a cell to the cell with the current names and returns their number. Sessions may still refer to
  /// the old cell. The rows of both cells are read under the same names, so their sum is right.
  func moveCell(_ cell: Int64, to home: Int64, atMost: Int) throws -> Int {
    guard cell != home else { return 0 }
    let packs = try movePacks(cell, to: home, in: .cells, atMost: atMost)
    return packs
      + (try rekey(.cells, "slice = ? ORDER BY metric, start LIMIT ?", [cell, atMost]) { $0.slice = home }.count)
  }

  /// The metrics of a slice's rows, each with its labels.
  func series(of slice: Int64, in table: Table) throws -> [SeriesKey] {
    let labels = try database.cachedStatement(
      sql: "SELECT DISTINCT label FROM \(table.rawValue) WHERE slice = ? AND metric = ?")
    return try metrics(of: slice, in: table).flatMap { metric in
      try Int64.fetchAll(labels, arguments: [slice, metric]).map { SeriesKey(metric: metric, label: $0) }
    }
  }

  /// Moves the rows of a series to another series of the slice.
  func move(_ series: SeriesKey, of slice: Int64, to home: SeriesKey, in table: Table) throws -> Taken {
    try rekey(table, "slice = ? AND metric = ? AND label = ?", [slice, series.metric, series.label]) {
      $0.metric = home.metric
      $0.label = home.label
    }
  }

  // MARK: Other stores

  /// Deletes some rows, in the order of their keys, and passes them to `body`. Returns their number, 0 if none are
  /// left. Daily sums are deleted without being passed. Throws for a damaged row.
  func drain(atMost: Int, _ body: (RowKey, Aggregate, _ received: Int) throws -> Void) throws -> Int {
    try deleteDaySums()
    for table in [Table.rollups, .cells] {
      var (last, count): (RowKey?, Int) = (nil, 0)
      let key = Self.key.joined(separator: ", ")
      let rows = try Row.fetchCursor(
        database, sql: "SELECT \(Self.columns) FROM \(table.rawValue) ORDER BY \(key) LIMIT \(atMost)")
      while let row = try rows.next() {
        let key = try RowKey(row)
        try body(key, RowBatch.aggregate(in: row, at: 7), row.value(6))
        (last, count) = (key, count + 1)
      }
      guard let last else { continue }
      try database.execute(
        sql: "DELETE FROM \(table.rawValue) WHERE (\(key)) <= (?, ?, ?, ?, ?, ?)", arguments: last.arguments)
      return count
    }
    var (last, count): (Int64?, Int) = (nil, 0)
    let packs = try Row.fetchCursor(
      database, sql: "SELECT id, received, body FROM \(Self.packs) ORDER BY id LIMIT \(atMost / 50)")
    while let row = try packs.next() {
      let (pack, received): (DayPackKey, Int) = (DayPackKey(id: try row.value(0)), try row.value(1))
      try Self.forEachSeries(of: row, at: 2) { try body(pack.row($0), $1, received) }
      (last, count) = (pack.id, count + 1)
    }
    if let last { try database.execute(sql: "DELETE FROM \(Self.packs) WHERE id <= ?", arguments: [last]) }
    return count
  }

  /// Computes all daily sums for a database without them: one of an older version, or one whose rows were moved back.
  func fillDaySums() throws {
    let isFilled = try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (SELECT 1 FROM \(Table.daySums.rawValue))
          OR NOT EXISTS (SELECT 1 FROM \(Table.rollups.rawValue) WHERE resolution > 0)
        """)
    guard isFilled == false else { return }
    let rows = try Row.fetchCursor(
      database, sql: "SELECT \(Self.columns) FROM \(Table.rollups.rawValue) WHERE resolution > 0")
    var sums = RowBatch(.daySums)
    while let row = try rows.next() {
      var key = try RowKey(row)
      key.bin = TimeBin(key.bin.day)
      sums.add(try RowBatch.aggregate(in: row, at: 7), to: key, received: try row.value(6))
      if sums.count >= Self.sumsAtOnce {
        try sums.merge(into: database)
        sums = RowBatch(.daySums)
      }
    }
    try sums.merge(into: database)
  }

  /// The maximum number of rows in memory while all daily sums are computed.
  private static let sumsAtOnce = 20_000

  // MARK: Taking rows

  /// Removes rows from a table and merges them into the rows under their keys after `change`. Damaged rows are
  /// quarantined, because every attempt would find them again. Daily sums do not change.
  private func rekey(
    _ table: Table, _ condition: String, _ arguments: StatementArguments, _ change: (inout RowKey) -> Void
  ) throws -> Taken {
    let rows = try Row.fetchAll(
      database, sql: "SELECT \(Self.columns) FROM \(table.rawValue) WHERE \(condition)", arguments: arguments)
    let sql = "DELETE FROM \(table.rawValue) \(Self.atKey)"
    let delete = try RawStatement(database, sql: sql)
    var taken = Taken(count: rows.count)
    var batch = RowBatch(table)
    for row in rows {
      do {
        var key = try RowKey(row)
        try delete.bind(key)
        try delete.execute()
        let (sum, received): (Aggregate, Int) = (try RowBatch.aggregate(in: row, at: 7), try row.value(6))
        change(&key)
        batch.add(sum, to: key, received: received)
      } catch is StoreError {
        try QuarantineTable(database).add([DamagedRow(row, of: table.rawValue, body: 7)])
        // A damaged key holds any values.
        try database.execute(sql: sql, arguments: StatementArguments(row.databaseValues.prefix(6)))
        taken.damaged[try app(of: row[0] as DatabaseValue), default: 0] += 1
      }
    }
    return taken + Taken(damaged: try apps(of: batch.merge(into: database)))
  }

  @discardableResult private func movePacks(
    _ slice: Int64, to home: Int64, in table: Table, atMost: Int = .max
  ) throws -> Int {
    var moved = DayPackBatch()
    let taken = try takePacks(of: slice, before: DayPackKey.ids(of: slice).upperBound, atMost: atMost) {
      key, series, sum, received in
      guard let target = DayPackKey(slice: home, day: key.day, source: key.source) else { return }
      moved.add(sum, series, to: target, received: received)
    }
    var writer = try DayPackWriter(database)
    // The series that do not fit.
    var rows = RowBatch(table)
    _ = try moved.write(by: &writer, leaving: &rows)
    try rows.merge(into: database)
    return taken.count
  }

  /// Deletes the lowest packs of a slice and passes their series to `body`. Damaged series are quarantined.
  private func takePacks(
    of slice: Int64, before end: Int64, atMost: Int, _ body: (DayPackKey, SeriesKey, Aggregate, _ received: Int) -> Void
  ) throws -> Taken {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, received, body \(Self.ofPacks) ORDER BY id LIMIT ?"),
      arguments: [DayPackKey.ids(of: slice).lowerBound, end, atMost])
    let delete = try database.cachedStatement(sql: "DELETE FROM \(Self.packs) WHERE id = ?")
    var damaged: [(key: RowKey, bytes: [UInt8])] = []
    for row in rows {
      let key = DayPackKey(id: try row.value(0))
      try delete.execute(arguments: [key.id])
      let received: Int = (try? row.value(1)) ?? 0
      try row.withUnsafeData(atIndex: 2) { data in
        (data ?? Data()).withUnsafeBytes { bytes in
          let broken = DayPackReader.forEachSeries(of: bytes) { body(key, $0, $1, received) }
          damaged += broken.map { (key.row($0.key), $0.bytes) }
        }
      }
    }
    try QuarantineTable(database).add(damaged.map { DamagedRow(Self.packs, $0.key, bytes: $0.bytes) })
    return Taken(count: rows.count, damaged: try apps(of: damaged.map(\.key)))
  }

  private func apps(of damaged: [RowKey]) throws -> [AppID: Int] {
    try damaged.reduce(into: [:]) { $0[try app(of: $1.slice.databaseValue), default: 0] += 1 }
  }

  private func app(of slice: DatabaseValue) throws -> AppID {
    try AppID.fetchOne(
      database.cachedStatement(sql: "SELECT app FROM slice WHERE id = ?"), arguments: [slice]) ?? IntakeTally.unknownApp
  }
}
