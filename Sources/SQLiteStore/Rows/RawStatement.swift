import GRDB
import GRDBSQLite
import Storage

/// A cached statement that is bound and stepped through SQLite's C functions. Batches have tens of thousands of metric
/// rows, and GRDB's boxing of each value costs more than the row.
///
/// GRDB caches one statement per SQL text and connection; compiling it again for every slice would cost too much. So
/// two values with the same SQL are one statement. Parameters are therefore bound right before it runs, and while a
/// statement is running (`forEachRow`) it can be neither created again nor bound, which would change its rows: both
/// throw.
struct RawStatement {
  // The database's cache keeps the statement alive. It is reset after every use.
  private let statement: Statement
  private let handle: OpaquePointer

  init(_ database: Database, sql: String) throws {
    statement = try database.cachedStatement(sql: sql)
    handle = statement.sqliteStatement
    guard sqlite3_stmt_busy(handle) == 0 else { throw error(SQLITE_MISUSE) }
    reset()
  }

  /// Binds a row's key to the first six parameters.
  func bind(_ key: RowKey) throws {
    try bind(key.slice, at: 1)
    try bind(key.metric, at: 2)
    try bind(Int64(key.bin.start), at: 3)
    try bind(Int64(key.bin.resolution.rawValue), at: 4)
    try bind(key.label, at: 5)
    try bind(Int64(key.source), at: 6)
  }

  /// Binds a parameter. Throws if there is none at `index`, or if the statement is running.
  func bind(_ value: Int64, at index: Int32) throws {
    let code = sqlite3_bind_int64(handle, index, value)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Runs a statement that returns no row, with `bytes` bound at `index`.
  func execute(with bytes: UnsafeRawBufferPointer, at index: Int32) throws {
    defer { reset() }
    // Without a destructor, because the bytes stay valid until the statement has run.
    let code = sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count), nil)
    guard code == SQLITE_OK else { throw error(code) }
    try run()
  }

  /// Runs a statement that returns no row.
  func execute() throws {
    defer { reset() }
    try run()
  }

  /// Passes the first column of the first row to `body`, which must not keep it; nil without a row.
  func blob<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value? {
    defer { reset() }
    switch sqlite3_step(handle) {
    case SQLITE_DONE: return nil
    case SQLITE_ROW:
      let bytes = sqlite3_column_blob(handle, 0)
      return try body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, 0))))
    case let code: throw error(code)
    }
  }

  /// Passes every row to `body`, which must not keep its bytes, and stops when `body` returns false.
  func forEachRow(_ body: (RawStatement) throws -> Bool) throws {
    defer { reset() }
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_DONE: return
      case SQLITE_ROW: if try !body(self) { return }
      case let code: throw error(code)
      }
    }
  }

  /// A column of the current row as an integer. Throws `StoreError.damaged` for any other type.
  func integer(_ column: Int32) throws -> Int64 {
    // SQLite searches the column once. The value is valid until the next row.
    let value = sqlite3_column_value(handle, column)
    guard sqlite3_value_type(value) == SQLITE_INTEGER else { throw StoreError.damaged("column \(column)") }
    return sqlite3_value_int64(value)
  }

  /// A column of the current row as an integer from 0 to 255. Throws `StoreError.damaged` for anything else.
  func byte(_ column: Int32) throws -> UInt8 {
    guard let byte = UInt8(exactly: try integer(column)) else { throw StoreError.damaged("column \(column)") }
    return byte
  }

  /// Whether a column of the current row has no value.
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// A column of the current row as bytes, which are valid until the next row.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }

  private func run() throws {
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw error(code) }
  }

  private func error(_ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))),
      sql: statement.sql)
  }

  private func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}
