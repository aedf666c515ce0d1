import Core
import Foundation
import GRDB
import Storage

/// The tables of metric rows; no other code names them. A value is in one of these tables:
///
/// - `cell`: a row for each series and bin of a cell,
/// - `marginal`: the same for rollups,
/// - `day_pack`: whole days of the last 35, with all series of a slice, a day and a source in one row.
///
/// The table `daily` also has the daily sums of fine rollup rows. Pages read them instead of the hundreds of fine rows
/// per day. Changes are made with `RowBatch` and `DayPackBatch`; every function here keeps `daily` equal to its sum.
struct RowTables {
  let database: Database

  init(_ database: Database) { self.database = database }

  /// The tables with one row for each series and bin.
  enum Table: String, CaseIterable, Sendable {
    case cells = "cell"
    case rollups = "marginal"
    case daySums = "daily"

    /// The table with the rows for slices of a kind.
    init(_ kind: SliceKind) { self = kind == .cell ? .cells : .rollups }
  }

  /// The table of day packs.
  static let packs = "day_pack"
  static let key = ["slice", "metric", "start", "resolution", "label", "source"]
  static let columns = (key + ["received", "body"]).joined(separator: ", ")
  static let atKey = "WHERE " + key.map { "\($0) = ?" }.joined(separator: " AND ")
  static let ofPacks = "FROM \(packs) WHERE id >= ? AND id < ?"

  private static let hasPacks =
    "EXISTS (SELECT 1 FROM \(packs) WHERE \(packs).id >= slice.id << 26 AND \(packs).id < (slice.id + 1) << 26)"
  /// The SQL condition that the slice of the row `slice` has cell rows.
  static let hasCellRows = "(EXISTS (SELECT 1 FROM cell WHERE cell.slice = slice.id) OR \(hasPacks))"
  /// The SQL condition that the slice of the row `slice` has no rows.
  static let isEmptySlice =
    (Table.allCases.map { "NOT EXISTS (SELECT 1 FROM \($0.rawValue) WHERE \($0.rawValue).slice = slice.id)" }
    + ["NOT \(hasPacks)"]).joined(separator: " AND ")

  static func packArguments(of slice: Int64) -> StatementArguments {
    [DayPackKey.ids(of: slice).lowerBound, DayPackKey.ids(of: slice).upperBound]
  }

  static func packArguments(of slice: Int64, _ days: ClosedRange<Int>) -> StatementArguments {
    [
      DayPackKey.first(of: slice, from: CalendarDay(number: days.lowerBound)),
      DayPackKey.first(of: slice, from: CalendarDay(number: days.upperBound + 1)),
    ]
  }

  // MARK: Counts and days

  /// Whether there are any rows. False for a database without these tables.
  func hasRows() throws -> Bool {
    guard try database.tableExists(Table.rollups.rawValue) else { return false }
    let tables = [Table.rollups.rawValue, Table.cells.rawValue, Self.packs]
    return try Bool.fetchOne(
      database, sql: "SELECT " + tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: " OR ")) ?? false
  }

  /// The number of rows of an app, or of all apps; a pack counts as one.
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

  /// The number of rows of an app that match an SQL condition; rows in packs are not counted. At most `most` rows of a
  /// table are read. `isOfKey`: whether the condition uses only columns of the key, so that only matching rows are
  /// read.
  func count(of app: AppID, where condition: String, isOfKey: Bool, atMost most: Int) throws -> Int {
    try [Table.cells, .rollups].reduce(0) { sum, table in
      let rows =
        "SELECT slice, metric, start FROM \(table.rawValue) WHERE slice IN (SELECT id FROM slice WHERE app = ?)"
      let sql =
        isOfKey
        ? "SELECT count(*) FROM (\(rows) AND \(condition) LIMIT ?)"
        : "SELECT count(*) FROM (\(rows) LIMIT ?) WHERE \(condition)"
      return sum + (try Int.fetchOne(database, sql: sql, arguments: [app, most]) ?? 0)
    }
  }

  /// The number of rows of a rollup, counted up to `most` per table.
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
      if let id = try packs?.value(column, as: Int64?.self) { days.append(DayPackKey(id: id).day.number) }
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
    return Set(starts.map { TimeBin(start: $0, resolution: .fiveMinutes).day } + packs.map { DayPackKey(id: $0).day })
  }

  /// The days with rows of a metric's label over everything. At most `most` rows are read. Labelled series are never
  /// packed.
  func days(of app: AppID, metric: Int64, label: String, atMost most: Int = .max) throws -> Set<CalendarDay> {
    let starts = try Int.fetchAll(
      database,
      sql: """
        SELECT DISTINCT start FROM (SELECT start, label FROM \(Table.rollups.rawValue)
          WHERE slice IN (SELECT id FROM slice WHERE app = ?1 AND kind = \(SliceKind.all.number))
          AND metric = ?2 LIMIT ?4)
        WHERE label IN (SELECT id FROM label WHERE app = ?1 AND metric = ?2 AND name = ?3)
        """, arguments: [app, metric, label, most])
    return Set(starts.map { TimeBin(start: $0, resolution: .fiveMinutes).day })
  }

  // MARK: Reading

  /// The metrics of a slice's rows. Each is found with one index step instead of a scan.
  func metrics(of slice: Int64, in table: Table) throws -> [Int64] {
    let statement = try RawStatement(
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

  /// The metrics of a rollup, including those in its packs.
  func metrics(ofRollup slice: Int64) throws -> Set<Int64> {
    var found = try Set(metrics(of: slice, in: .rollups) + metrics(of: slice, in: .daySums))
    let (first, last) = (CalendarDay(number: -3_652_500), CalendarDay(number: 3_652_500))
    try forEachPack(of: slice, from: first, to: last) { _, bytes in
      var reader = DayPackReader(bytes)
      while let (key, _) = reader.next() { found.insert(key.metric) }
      return true
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

  /// Passes each pack of a slice to `body`, from one day to another (excluded), and stops when `body` returns false.
  func forEachPack(
    of slice: Int64, from start: CalendarDay, to end: CalendarDay,
    _ body: (DayPackKey, UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let statement = try RawStatement(database, sql: "SELECT id, body \(Self.ofPacks) ORDER BY id")
    try statement.bind(DayPackKey.first(of: slice, from: start), at: 1)
    try statement.bind(DayPackKey.first(of: slice, from: end), at: 2)
    try statement.forEachRow { row in try body(DayPackKey(id: try row.integer(0)), row.bytes(1)) }
  }

  /// Passes the values of a cell on a day to `row`, and packed values to `packed`. Throws for damaged values.
  func forEachValue(
    ofCell cell: Int64, on day: CalendarDay, row: (RowKey, Aggregate, _ received: Int) throws -> Void,
    packed: (DayPackKey, SeriesKey, Aggregate, _ received: Int) throws -> Void
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
      let (key, received): (DayPackKey, Int) = (DayPackKey(id: try pack.value(0)), try pack.value(1))
      try Self.forEachSeries(of: pack, at: 2) { try packed(key, $0, $1, received) }
    }
  }

  /// Passes the series of a fetched pack to `body`; throws if one is damaged.
  static func forEachSeries(of row: Row, at column: Int, _ body: (SeriesKey, Aggregate) throws -> Void) throws {
    let damaged = try row.withUnsafeData(atIndex: column) { data in
      try (data ?? Data()).withUnsafeBytes { try DayPackReader.forEachSeries(of: $0, body) }
    }
    guard damaged.isEmpty else {
      throw StoreError.damaged("a day pack; quarantine it with `plumb verify --set-aside`")
    }
  }
}
