import Core
import GRDB
import Storage

/// A scan of one slice's and metric's rows in the tables that a query reads.
struct RowScan {
  private let rows: RawStatement
  private let sums: RawStatement?
  private let range: Range<Int64>
  private let labels: [Int64]

  /// `isDaily`: whether fine rows are read from their daily sums.
  init(
    _ database: Database, _ table: RowTables.Table, isDaily: Bool, _ window: Window, _ labels: LabelFilter
  ) throws {
    func statement(_ table: RowTables.Table) throws -> RawStatement {
      try RawStatement(
        database,
        sql: """
          SELECT start, resolution, label, source, body FROM \(table.rawValue)
          WHERE slice = ? AND metric = ? AND start >= ? AND start < ? AND \(labels.condition)
          """)
    }
    rows = try statement(table)
    sums = isDaily ? try statement(.daySums) : nil
    range = Int64(window.from.number) * 1440..<(Int64(window.to.number) + 1) * 1440
    self.labels = labels.arguments
  }

  func forEach(_ slice: Int64, _ metric: Int64, _ body: (StoredRow) throws -> Void) throws {
    guard let sums else { return try pass(rows, slice, metric, from: range.lowerBound, body) }
    var next: Int64? = range.lowerBound
    while let start = next { next = try passDays(slice, metric, from: start, body) }
    try pass(sums, slice, metric, from: range.lowerBound, body)
  }

  /// Whether there is any row, of which daily sums are searched first.
  func hasRows(_ slice: Int64, _ metric: Int64) throws -> Bool {
    var isFound = false
    for statement in [sums, rows].compactMap(\.self) where !isFound {
      try bind(statement, slice, metric, from: range.lowerBound)
      try statement.forEachRow { _ in
        isFound = true
        return false
      }
    }
    return isFound
  }

  private func pass(
    _ statement: RawStatement, _ slice: Int64, _ metric: Int64, from start: Int64, _ body: (StoredRow) throws -> Void
  ) throws {
    try bind(statement, slice, metric, from: start)
    try statement.forEachRow { row in
      try body(StoredRow(row))
      return true
    }
  }

  /// Passes the rows of whole days. After a few fine rows of one day, which follow the daily row, it returns the start
  /// of the next day: an index step is faster than reading the hundreds of fine rows that a day may have.
  private func passDays(
    _ slice: Int64, _ metric: Int64, from start: Int64, _ body: (StoredRow) throws -> Void
  ) throws -> Int64? {
    var (passed, next): (Int, Int64?) = (0, nil)
    try bind(rows, slice, metric, from: start)
    try rows.forEachRow { row in
      guard try row.integer(1) > 0 else {
        try body(StoredRow(row))
        return true
      }
      passed += 1
      guard passed > Self.fewRows else { return true }
      let minute = try row.integer(0)
      try checkMinute(Int(minute))
      next = Int64(TimeBin(start: Int(minute), resolution: .fiveMinutes).day.number + 1) * 1440
      return false
    }
    return next
  }

  /// The number of fine rows that take as long as an index step.
  private static let fewRows = 4

  private func bind(_ statement: RawStatement, _ slice: Int64, _ metric: Int64, from start: Int64) throws {
    try statement.bind(slice, at: 1)
    try statement.bind(metric, at: 2)
    try statement.bind(start, at: 3)
    try statement.bind(range.upperBound, at: 4)
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
