import Core
import Foundation
import GRDB
import Storage

/// The key of a row of numbers: the ids of its slice, metric and label, its time bin and its source.
struct RowKey: Hashable {
  var slice: Int64
  var metric: Int64
  var bin: TimeBin
  /// 0 for the sum over all labels.
  var label: Int64 = 0
  var source: UInt8

  /// Its values in the order of `RowTables.key`.
  var arguments: StatementArguments {
    [slice, metric, bin.start, Int(bin.resolution.rawValue), label, Int(source)]
  }
}

extension RowKey {
  /// The key in the first columns of a row.
  init(_ row: Row) throws {
    guard let resolution = TimeBin.Resolution(rawValue: try row.value(3)) else {
      throw StoreError.damaged("resolution of a row")
    }
    self.init(
      slice: try row.value(0), metric: try row.value(1),
      bin: TimeBin(start: try row.minute(2), resolution: resolution), label: try row.value(4), source: try row.value(5))
  }
}

/// The rows of numbers, wherever they are stored: nothing else names their tables. A value stands in one of
///
/// - `cell`, a row for each series and bin of a cell,
/// - `marginal`, the same of rollups,
/// - `day_pack`, for whole days of the last 35: all series of a slice, a day and a source in one row.
///
/// What the fine rows of rollups add up to by the day also stands in `daily`, which pages read instead of them: there are
/// hundreds of them a day. Changes come by `RowBatch` and `PackBatch`; every function here keeps `daily` equal to its sum.
struct RowTables {
  let database: Database

  init(_ database: Database) { self.database = database }

  /// The tables with a row for each series and bin.
  enum Table: String, CaseIterable, Sendable {
    case cells = "cell"
    case rollups = "marginal"
    case daySums = "daily"

    /// The table with the rows of slices of a kind.
    init(_ kind: SliceKey.Kind) { self = kind == .cell ? .cells : .rollups }
  }

  /// The table of day packs.
  static let packs = "day_pack"
  static let key = ["slice", "metric", "start", "resolution", "label", "source"]
  static let columns = (key + ["received", "body"]).joined(separator: ", ")
  static let atKey = "WHERE " + key.map { "\($0) = ?" }.joined(separator: " AND ")
  static let ofPacks = "FROM \(packs) WHERE id >= ? AND id < ?"
  private static let isCell = "kind = \(SliceKey.Kind.cell.rawValue)"

  private static let hasPacks =
    "EXISTS (SELECT 1 FROM \(packs) WHERE \(packs).id >= slice.id << 26 AND \(packs).id < (slice.id + 1) << 26)"
  /// The SQL condition that the slice of the row `slice` has rows of its own, no rollups.
  static let hasCellRows = "(EXISTS (SELECT 1 FROM cell WHERE cell.slice = slice.id) OR \(hasPacks))"
  /// The SQL condition that the slice of the row `slice` has no rows.
  static let isEmptySlice =
    (Table.allCases.map { "NOT EXISTS (SELECT 1 FROM \($0.rawValue) WHERE \($0.rawValue).slice = slice.id)" }
    + ["NOT \(hasPacks)"]).joined(separator: " AND ")

  static func packArguments(of slice: Int64) -> StatementArguments {
    [PackKey.ids(of: slice).lowerBound, PackKey.ids(of: slice).upperBound]
  }

  private static func packArguments(of slice: Int64, _ days: ClosedRange<Int>) -> StatementArguments {
    [
      PackKey.first(of: slice, from: CalendarDay(number: days.lowerBound)),
      PackKey.first(of: slice, from: CalendarDay(number: days.upperBound + 1)),
    ]
  }

  // MARK: Counts and days

  /// Whether there are any rows. False for a database without their tables.
  func hasRows() throws -> Bool {
    guard try database.tableExists(Table.rollups.rawValue) else { return false }
    let tables = [Table.rollups.rawValue, Table.cells.rawValue, Self.packs]
    return try Bool.fetchOne(
      database, sql: "SELECT " + tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: " OR ")) ?? false
  }

  /// The number of rows of an app, or of all; a pack counts as one.
  func count(of app: AppID? = nil) throws -> Int {
    let slices = "IN (SELECT id FROM slice WHERE app = ?)"
    return try [(Table.cells.rawValue, "slice"), (Table.rollups.rawValue, "slice"), (Self.packs, "id >> 26")]
      .reduce(0) { sum, table in
        let condition = app == nil ? "" : "WHERE \(table.1) \(slices)"
        return sum
          + (try Int.fetchOne(
            database, sql: "SELECT count(*) FROM \(table.0) \(condition)",
            arguments: app.map { [$0] } ?? []) ?? 0)
      }
  }

  /// The number of rows of an app to which an SQL condition applies: those of packs are not counted. At most `most` rows of
  /// a table are read. `isOfKey`: the key has the columns of the condition, so that only its rows are read.
  func count(of app: AppID, where condition: String, isOfKey: Bool, atMost most: Int) throws -> Int {
    try [Table.cells, .rollups].reduce(0) { sum, table in
      let rows = "SELECT slice, metric, start FROM \(table.rawValue) WHERE slice IN (SELECT id FROM slice WHERE app = ?)"
      let sql =
        isOfKey
        ? "SELECT count(*) FROM (\(rows) AND \(condition) LIMIT ?)"
        : "SELECT count(*) FROM (\(rows) LIMIT ?) WHERE \(condition)"
      return sum + (try Int.fetchOne(database, sql: sql, arguments: [app, most]) ?? 0)
    }
  }

  /// The number of rows of a rollup, counted up to `most` of a table only.
  func count(ofRollup slice: Int64, upTo most: Int) throws -> Int {
    let packs = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM (SELECT 1 \(Self.ofPacks) LIMIT ?)"),
      arguments: Self.packArguments(of: slice) + [most])
    return try [Table.rollups, .daySums].reduce(packs ?? 0) { sum, table in
      let count = try Int.fetchOne(
        database.cachedStatement(sql: "SELECT count(*) FROM (SELECT 1 FROM \(table.rawValue) WHERE slice = ? LIMIT ?)"),
        arguments: [slice, most])
      return sum + (count ?? 0)
    }
  }

  /// The first and last day of a rollup's rows.
  func span(ofRollup slice: Int64) throws -> ClosedRange<Int>? {
    let rows = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT min(start), max(start) FROM \(Table.rollups.rawValue) WHERE slice = ?"),
      arguments: [slice])
    let packs = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT min(id), max(id) \(Self.ofPacks)"),
      arguments: Self.packArguments(of: slice))
    var days: [Int] = []
    for column in 0..<2 {
      if let minute = try rows?.value(column, as: Int?.self) {
        days.append(TimeBin(start: minute, resolution: .fiveMinutes).day.number)
      }
      if let id = try packs?.value(column, as: Int64?.self) { days.append(PackKey(id: id).day.number) }
    }
    guard let first = days.min(), let last = days.max() else { return nil }
    return first...last
  }

  /// The days with rows of a rollup.
  func days(ofRollup slice: Int64) throws -> Set<CalendarDay> {
    let starts = try Int.fetchAll(
      database, sql: "SELECT DISTINCT start FROM \(Table.rollups.rawValue) WHERE slice = ?", arguments: [slice])
    let packs = try Int64.fetchAll(
      database, sql: "SELECT id \(Self.ofPacks)", arguments: Self.packArguments(of: slice))
    return Set(starts.map { TimeBin(start: $0, resolution: .fiveMinutes).day } + packs.map { PackKey(id: $0).day })
  }

  /// The days with rows of a metric's label over everything. At most `most` rows are read. Labels are never packed.
  func days(of app: AppID, metric: Int64, label: String, atMost most: Int = .max) throws -> Set<CalendarDay> {
    let starts = try Int.fetchAll(
      database,
      sql: """
        SELECT DISTINCT start FROM (SELECT start, label FROM \(Table.rollups.rawValue)
          WHERE slice IN (SELECT id FROM slice WHERE app = ?1 AND kind = \(SliceKey.Kind.all.rawValue))
          AND metric = ?2 LIMIT ?4)
        WHERE label IN (SELECT id FROM label WHERE app = ?1 AND metric = ?2 AND name = ?3)
        """, arguments: [app, metric, label, most])
    return Set(starts.map { TimeBin(start: $0, resolution: .fiveMinutes).day })
  }

  // MARK: Reading

  /// The metrics of a slice's rows, found with one index step each instead of a scan.
  func metrics(of slice: Int64, in table: Table) throws -> [Int64] {
    let statement = try RowStatement(
      database, sql: "SELECT metric FROM \(table.rawValue) WHERE slice = ? AND metric > ? ORDER BY metric LIMIT 1")
    var found: [Int64] = []
    var isDone = false
    while !isDone {
      isDone = true
      try statement.bind(slice, at: 1)
      try statement.bind(found.last ?? 0, at: 2)
      try statement.forEachRow { row in
        found.append(try row.integer(0))
        isDone = false
        return true
      }
    }
    return found
  }

  /// The metrics of a rollup, also of its packs.
  func metrics(ofRollup slice: Int64) throws -> Set<Int64> {
    var found = try Set(metrics(of: slice, in: .rollups) + metrics(of: slice, in: .daySums))
    let (first, last) = (CalendarDay(number: -3_652_500), CalendarDay(number: 3_652_500))
    try forEachPack(of: slice, from: first, to: last) { _, bytes in
      var reader = PackReader(bytes)
      while let (key, _) = reader.next() { found.insert(key.metric) }
    }
    return found
  }

  func hasRollups(of slice: Int64, metric: Int64, label: Int64) throws -> Bool {
    try Bool.fetchOne(
      database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM \(Table.rollups.rawValue) WHERE slice = ? AND metric = ? AND label = ?)"),
      arguments: [slice, metric, label]) ?? false
  }

  /// An app with rows of a metric or label.
  func app(withRowsOf kind: NameKind, _ id: Int64) throws -> AppID? {
    let slices = Table.allCases.map { "SELECT slice FROM \($0.rawValue) WHERE \(kind.rawValue) = :id" }
    return try AppID.fetchOne(
      database,
      sql: """
        SELECT slice.app FROM slice WHERE typeof(app) = 'integer' AND id IN (\(slices.joined(separator: " UNION ")))
        LIMIT 1
        """, arguments: ["id": id])
  }

  /// The metric of a label, from its rows.
  func metric(ofLabel label: Int64) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: "SELECT metric FROM \(Table.rollups.rawValue) WHERE label = ? AND typeof(metric) = 'integer' LIMIT 1",
      arguments: [label])
  }

  /// Passes each pack of a slice from one day to another (not included) to `body`.
  func forEachPack(
    of slice: Int64, from start: CalendarDay, to end: CalendarDay,
    _ body: (PackKey, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let statement = try RowStatement(database, sql: "SELECT id, body \(Self.ofPacks) ORDER BY id")
    try statement.bind(PackKey.first(of: slice, from: start), at: 1)
    try statement.bind(PackKey.first(of: slice, from: end), at: 2)
    try statement.forEachRow { row in
      try body(PackKey(id: try row.integer(0)), row.bytes(1))
      return true
    }
  }

  /// Passes the values of a cell on a day to `row`, and those that are packed to `packed`. Throws for damaged ones.
  func forEachValue(
    ofCell cell: Int64, on day: CalendarDay, row: (RowKey, Aggregate, _ received: Int) throws -> Void,
    packed: (PackKey, SeriesKey, Aggregate, _ received: Int) throws -> Void
  ) throws {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: "SELECT \(Self.columns) FROM \(Table.cells.rawValue) WHERE slice = ? AND start >= ? AND start < ?"),
      arguments: [cell, day.number * 1440, (day.number + 1) * 1440])
    while let next = try rows.next() { try row(RowKey(next), RowBatch.aggregate(in: next, at: 7), next.value(6)) }
    let packs = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, received, body \(Self.ofPacks)"),
      arguments: Self.packArguments(of: cell, day.number...day.number))
    for pack in packs {
      let (key, received): (PackKey, Int) = (PackKey(id: try pack.value(0)), try pack.value(1))
      try Self.forEachSeries(of: pack, at: 2) { try packed(key, $0, $1, received) }
    }
  }

  /// Passes the series of a fetched pack to `body`; throws if one is damaged.
  static func forEachSeries(of row: Row, at column: Int, _ body: (SeriesKey, Aggregate) throws -> Void) throws {
    let damaged = try row.withUnsafeData(atIndex: column) { data in
      try (data ?? Data()).withUnsafeBytes { try PackReader.forEachSeries(of: $0, body) }
    }
    guard damaged.isEmpty else {
      throw StoreError.damaged("a day pack; `plumb verify --set-aside` sets it aside")
    }
  }

  // MARK: Deleting

  /// Deletes the rows of a slice on some days. Returns how many there were.
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

  /// Deletes metrics of a slice. Returns how many rows and series there were.
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

  /// Deletes sums by the day from before a minute, whose fine rows became rows of whole days.
  func deleteDaySums(before minute: Int = .max) throws {
    try database.execute(sql: "DELETE FROM \(Table.daySums.rawValue) WHERE start < ?", arguments: [minute])
  }

  /// The statements that delete the rows of `:app` slice by slice, each repeated until it changes nothing.
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

  /// The rows of some slices that are past their time.
  struct Expired {
    /// The id before the first slice, and that of the last.
    let (after, through): (Int64, Int64)
    /// The days of receipt before which rows of cells and of rollups are past it.
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
      let packs = [(isCell, cells), ("NOT \(isCell)", rollups)].map { kind, day in
        (
          """
          \(ofPacks) AND received < ? AND EXISTS (SELECT 1 FROM slice WHERE slice.id = \(RowTables.packs).id >> 26 AND \(kind))
          """, range + [day]
        )
      }
      return rows + packs
    }
  }

  /// Whether there is anything to delete. `received` has no index, because maintaining it would cost every batch more than
  /// this scan.
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

  /// Replaces the aggregate of a row, or deletes it for nil.
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

  /// Changes what a day holds of a series: the row that is nearest to `minute`, or else the series in the day's pack. It is
  /// deleted if `change` gives nil.
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

  /// Changes the series of a pack: those for which `change` gives nil are left out, and an empty pack is deleted.
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

  /// Writes the readable series of a damaged pack back; false if there are none.
  func repack(_ id: DatabaseValue, _ body: Data) throws -> Bool {
    var pack = DayPack()
    _ = body.withUnsafeBytes { PackReader.forEachSeries(of: $0) { pack.add($1, to: $0) } }
    guard pack.count > 0 else { return false }
    // A day of receipt that cannot be read is replaced by the day of the pack.
    try database.execute(
      sql: """
        UPDATE \(Self.packs) SET body = ?, received =
          CASE typeof(received) WHEN 'integer' THEN received ELSE (id >> 4 & \(1 << 22 - 1)) - \(1 << 20) END
        WHERE id IS ?
        """, arguments: [pack.encoded, id])
    return true
  }
}
