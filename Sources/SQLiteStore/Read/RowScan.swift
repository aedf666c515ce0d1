import Core
import GRDB
import Storage

/// A scan of one slice's and metric's rows in the tables that a query reads.
struct RowScan {
  private let rows: RawStatement
  private let day: RawStatement?
  private let sums: RawStatement?
  private let window: Window
  private let labels: [Int64]

  /// `isDaily`: whether fine rows are read from their daily sums.
  init(
    _ database: Database, _ table: RowTables.Table, isDaily: Bool, _ window: Window, _ labels: LabelFilter
  ) throws {
    func statement(_ table: RowTables.Table, _ starts: String) throws -> RawStatement {
      try RawStatement(
        database,
        sql: """
          SELECT start, resolution, label, source, body FROM \(table.rawValue)
          WHERE slice = ? AND metric = ? AND \(starts) AND \(labels.condition)
          """)
    }
    let range = "start >= ? AND start < ?"
    rows = try statement(table, range)
    day = isDaily ? try statement(table, "start = ? AND resolution = ?") : nil
    sums = isDaily ? try statement(.daySums, range) : nil
    self.window = window
    self.labels = labels.arguments
  }

  func forEach(_ slice: Int64, _ metric: Int64, _ body: (StoredRow) throws -> Void) throws {
    guard let day, let sums else { return try passRange(of: rows, slice, metric, body) }
    var next = try passDaysBeforeFineRows(slice, metric, body)
    while next <= window.to {
      try bind(day, slice, metric, Int64(next.number) * 1440, Int64(TimeBin.Resolution.day.rawValue))
      try day.forEachRow { row in
        try body(StoredRow(row))
        return true
      }
      next = next + 1
    }
    try passRange(of: sums, slice, metric, body)
  }

  private func passRange(
    of statement: RawStatement, _ slice: Int64, _ metric: Int64, _ body: (StoredRow) throws -> Void
  ) throws {
    try bindRange(of: statement, slice, metric)
    try statement.forEachRow { row in
      try body(StoredRow(row))
      return true
    }
  }

  /// Passes the rows of whole days up to the first day with fine rows, and returns the day after it. Compaction leaves
  /// fine rows only to the newest days, which may have hundreds each: looking up the daily rows of these days is faster
  /// than reading over the fine ones.
  private func passDaysBeforeFineRows(
    _ slice: Int64, _ metric: Int64, _ body: (StoredRow) throws -> Void
  ) throws -> CalendarDay {
    var next = window.to + 1
    try bindRange(of: rows, slice, metric)
    try rows.forEachRow { row in
      guard try row.integer(1) > 0 else {
        try body(StoredRow(row))
        return true
      }
      let minute = try row.integer(0)
      try checkMinute(Int(minute))
      next = TimeBin(start: Int(minute), resolution: .fiveMinutes).day + 1
      return false
    }
    return next
  }

  private func bindRange(of statement: RawStatement, _ slice: Int64, _ metric: Int64) throws {
    try bind(statement, slice, metric, Int64(window.from.number) * 1440, (Int64(window.to.number) + 1) * 1440)
  }

  private func bind(
    _ statement: RawStatement, _ slice: Int64, _ metric: Int64, _ third: Int64, _ fourth: Int64
  ) throws {
    try statement.bind(slice, at: 1)
    try statement.bind(metric, at: 2)
    try statement.bind(third, at: 3)
    try statement.bind(fourth, at: 4)
    for (index, label) in labels.enumerated() { try statement.bind(label, at: Int32(5 + index)) }
  }
}

/// The row at a statement's current position, or a series of a day pack.
struct StoredRow {
  let bin: TimeBin
  let label: Int64
  let source: UInt8
  /// The stored aggregate, valid only while the row is passed on.
  let body: UnsafeRawBufferPointer

  /// A series of a day pack.
  init(_ pack: DayPackKey, _ bin: TimeBin, label: Int64, body: UnsafeRawBufferPointer) {
    self.bin = bin
    self.label = label
    source = pack.source
    self.body = body
  }

  fileprivate init(_ row: RawStatement) throws {
    let start = Int(try row.integer(0))
    try checkMinute(start)
    guard let resolution = UInt8(exactly: try row.integer(1)).flatMap(TimeBin.Resolution.init(rawValue:)) else {
      throw StoreError.damaged("invalid value for its resolution")
    }
    bin = TimeBin(start: start, resolution: resolution)
    label = try row.integer(2)
    guard let source = UInt8(exactly: try row.integer(3)) else {
      throw StoreError.damaged("invalid value for its source")
    }
    self.source = source
    body = row.bytes(4)
  }

  var knownSource: Source {
    get throws {
      guard let known = Source(rawValue: source) else {
        throw StoreError.damaged("invalid value for its source")
      }
      return known
    }
  }

  /// Reads the stored aggregate; damaged bytes throw `StoreError.damaged`.
  func read<Value>(_ read: (inout ByteReader) throws(DamagedBytes) -> Value) throws -> Value {
    var reader = ByteReader(body)
    do {
      return try read(&reader)
    } catch {
      throw StoreError.damaged("\(error)")
    }
  }
}
