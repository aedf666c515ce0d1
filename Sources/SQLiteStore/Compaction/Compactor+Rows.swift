import Core
import GRDB
import Storage

extension Compactor {
  /// Merges rows of five minutes into rows of an hour after three days, and those into rows of a day after 35.
  func coarsen() throws {
    let (old, older) = ((today - 3) * 1440, (today - 35) * 1440)
    try repeatPortions(keepingIDs: true) { try coarsenPortion(of: "cell", .fiveMinutes, .hour, before: old, $0, &$1) }
    try repeatPortions(keepingIDs: true) { try coarsenPortion(of: "cell", .hour, .day, before: older, $0, &$1) }
    try repeatPortions(keepingIDs: true) {
      try coarsenPortion(of: "marginal", .fiveMinutes, .hour, before: old, $0, &$1)
    }
    try coarsenDays(before: older)
    try portion(keepingIDs: true) { database, _ in try DailySumTable(database).drop(before: older) }
    try unpack(before: CalendarDay(number: today - PackBatch.days))
  }

  /// Writes packs of old days as rows. Those of cells are deleted soon.
  private func unpack(before day: CalendarDay) throws {
    let slices = try store.pool.read {
      try Int64.fetchAll(
        $0,
        sql: """
          SELECT id FROM slice WHERE kind <> ?1 AND EXISTS (SELECT 1 FROM day_pack
            WHERE day_pack.id >= slice.id << 26 AND day_pack.id < (slice.id << 26) + ?2)
          """,
        arguments: [SliceKey.Kind.cell.rawValue, PackKey.first(of: 0, from: day)])
    }
    for slice in slices {
      try repeatPortions(keepingIDs: true) { database, registry in
        let (count, damaged) = try PackTable(database).unpack(slice, before: day, atMost: 50)
        for row in damaged {
          try noteDamage([Self.app(of: row.slice.databaseValue, in: database): 1], in: "marginal", database, &registry)
        }
        return count
      }
    }
  }

  private func coarsenPortion(
    of table: String, _ from: TimeBin.Resolution, _ to: TimeBin.Resolution, before minute: Int, _ database: Database,
    _ registry: inout NameRegistry
  ) throws -> Int {
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT \(Self.columns) FROM \(table) WHERE resolution = ? AND start < ? LIMIT ?",
      arguments: [Int(from.rawValue), minute, Self.portion])
    try coarsen(rows, of: table, to, database, &registry)
    return rows.count
  }

  /// Merges rollup rows of a day into one row, in the same transaction that drops their daily sum, because pages add up
  /// both.
  private func coarsenDays(before minute: Int) throws {
    let days = try store.pool.read {
      try Row.fetchAll(
        $0, sql: "SELECT DISTINCT slice, start / 1440 FROM marginal WHERE resolution = ? AND start < ? ORDER BY 1, 2",
        arguments: [Int(TimeBin.Resolution.hour.rawValue), minute])
    }
    var next = 0
    while next < days.count {
      next = try portion(keepingIDs: true) { database, registry in
        var (index, done) = (next, 0)
        while index < days.count, done < Self.portion {
          done += try coarsenDay(days[index], database, &registry)
          index += 1
        }
        return index
      }
    }
  }

  private func coarsenDay(_ day: Row, _ database: Database, _ registry: inout NameRegistry) throws -> Int {
    let slice: Int64 = try day.value(0)
    let start = try day.value(1, as: Int.self) * 1440
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT \(Self.columns) FROM marginal WHERE slice = ? AND resolution = ? AND start >= ? AND start < ?
          """), arguments: [slice, Int(TimeBin.Resolution.hour.rawValue), start, start + 1440])
    try coarsen(rows, of: "marginal", .day, database, &registry)
    try database.cachedStatement(sql: "DELETE FROM \(DailySumTable.table) WHERE slice = ? AND start = ?")
      .execute(arguments: [slice, start])
    return max(1, rows.count)
  }

  private static let columns = "slice, metric, start, label, source, received, body, resolution"

  /// Merges rows into coarser ones. Damaged rows are set aside, because every compaction would find them again.
  private func coarsen(
    _ rows: [Row], of table: String, _ to: TimeBin.Resolution, _ database: Database, _ registry: inout NameRegistry
  ) throws {
    let delete = try database.cachedStatement(
      sql: """
        DELETE FROM \(table)
        WHERE slice = ? AND metric = ? AND start = ? AND label = ? AND source = ? AND resolution = ?
        """)
    var sums = RowMerge(table: table)
    var damaged: [AppID: Int] = [:]
    for row in rows {
      try delete.execute(arguments: StatementArguments([0, 1, 2, 3, 4, 7].map { row[$0] as DatabaseValue }))
      do {
        let bin = TimeBin(start: try row.minute(2), resolution: .fiveMinutes).coarsened(to: to)
        let key = RowKey(
          slice: try row.value(0), metric: try row.value(1), bin: bin, label: try row.value(3), source: try row.value(4)
        )
        sums.add(try RowBatch.aggregate(in: row, at: 6), to: key, received: try row.value(5))
      } catch is StoreError {
        try QuarantineTable(database).add([DamagedRow(row, of: table, body: 6)])
        damaged[try Self.app(of: row[0] as DatabaseValue, in: database), default: 0] += 1
      }
    }
    for key in try sums.write(to: database) {
      damaged[try Self.app(of: key.slice.databaseValue, in: database), default: 0] += 1
    }
    if !damaged.isEmpty { try noteDamage(damaged, in: table, database, &registry) }
  }

  private static func app(of slice: DatabaseValue, in database: Database) throws -> AppID {
    try AppID.fetchOne(
      database.cachedStatement(sql: "SELECT app FROM slice WHERE id = ?"), arguments: [slice]) ?? IntakeTally.unknownApp
  }

  // MARK: Retention

  func dropRows() throws {
    try drop("cell", retention.fine)
    try drop("marginal", retention.daily)
    try dropPacks("= \(SliceKey.Kind.cell.rawValue)", retention.fine)
    try dropPacks("<> \(SliceKey.Kind.cell.rawValue)", retention.daily)
  }

  /// Deletes old packs of slices of some kinds, slice by slice.
  private func dropPacks(_ kind: String, _ days: Int) throws {
    var last: Int64 = 0
    while let end = try store.pool.read({
      try Int64.fetchOne(
        $0, sql: "SELECT max(id) FROM (SELECT id FROM slice WHERE id > ? AND kind \(kind) ORDER BY id LIMIT ?)",
        arguments: [last, Self.slicesAtOnce])
    }) {
      let packs = """
        FROM day_pack WHERE id >= ? AND id < ? AND received < ?
        AND EXISTS (SELECT 1 FROM slice WHERE slice.id = day_pack.id >> 26 AND kind \(kind))
        """
      let arguments: StatementArguments = [
        PackKey.ids(of: last + 1).lowerBound, PackKey.ids(of: end).upperBound, today - days,
      ]
      let hasOld = try store.pool.read {
        try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 \(packs))", arguments: arguments)
      }
      if hasOld == true {
        try portion(keepingIDs: true) { database, _ in
          try database.execute(sql: "DELETE \(packs)", arguments: arguments)
        }
      }
      last = end
    }
  }

  /// Deletes old rows slice by slice. `received` has no index, because maintaining it would cost every batch more than
  /// this scan.
  private func drop(_ table: String, _ days: Int) throws {
    var last: Int64 = 0
    while let end = try store.pool.read({
      try Int64.fetchOne(
        $0, sql: "SELECT max(id) FROM (SELECT id FROM slice WHERE id > ? ORDER BY id LIMIT ?)",
        arguments: [last, Self.slicesAtOnce])
    }) {
      try dropOld(table, "slice > ? AND slice <= ?", [last, end], days)
      last = end
    }
    try dropOld(table, "slice > ?", [last], days)
  }

  private func dropOld(_ table: String, _ condition: String, _ arguments: StatementArguments, _ days: Int) throws {
    let hasOld = try store.pool.read {
      try Bool.fetchOne(
        $0, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition) AND received < ?)",
        arguments: arguments + [today - days])
    }
    guard hasOld == true else { return }
    try portion(keepingIDs: true) { database, _ in
      try database.execute(
        sql: "DELETE FROM \(table) WHERE \(condition) AND received < ?", arguments: arguments + [today - days])
    }
  }

  private static let slicesAtOnce = 50
}
