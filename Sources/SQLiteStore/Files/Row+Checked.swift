import Core
import Foundation
import GRDB
import Storage

extension DamagedRow {
  /// Creates a damaged row from a fetched one. `key`: parts of its key that were not fetched; `body`: the index of its
  /// bytes.
  init(_ row: Row, of table: String, key: [String] = [], body: Int) {
    let columns = zip(row.columnNames, row.databaseValues).enumerated().filter { $0.offset != body }
    let names = columns.map { "\($0.element.0) \($0.element.1)" }
    let bytes = Data.fromDatabaseValue(row[body] as DatabaseValue) ?? Data("\(row[body] as DatabaseValue)".utf8)
    self.init(
      table: table, key: (key + names).joined(separator: ", "), reason: "its numbers cannot be read", bytes: bytes)
  }
}

/// Typed access to columns that throws for damaged rows. GRDB's subscripts end the process if a value does not convert.
extension Row {
  /// The column's value; nil for NULL if the type is optional. Throws `StoreError.damaged` for any other value.
  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws -> Value {
    do {
      return try decode(Value.self, atIndex: index)
    } catch {
      throw StoreError.damaged("column \(index): \(error)")
    }
  }

  /// The named column's value; throws `StoreError.damaged` if it does not convert.
  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: String, as type: Value.Type = Value.self
  ) throws -> Value {
    do {
      return try decode(Value.self, forColumn: column)
    } catch {
      throw StoreError.damaged("\(column): \(error)")
    }
  }

  /// The named column as an instant, stored in milliseconds since 1970.
  func time(_ column: String) throws -> Timestamp { Timestamp(milliseconds: try value(column)) }

  /// The named column as an instant; nil for NULL.
  func time(_ column: String) throws -> Timestamp? {
    try value(column, as: Int64?.self).map(Timestamp.init(milliseconds:))
  }

  /// The column as a count. Negative values and values that are not numbers become 0. A sum that SQLite converted to
  /// REAL is limited to `Int.max`.
  func count(_ index: Int) -> Int {
    switch (self[index] as DatabaseValue).storage {
    case .int64(let count): Swift.max(0, Int(clamping: count))
    case .double(let count): count > 0 ? Int(exactly: count.rounded()) ?? .max : 0
    case .null, .string, .blob: 0
    }
  }

  /// The column as a day, stored in days since 1970. Throws if it is more than ten thousand years away.
  func day(_ index: Int) throws -> CalendarDay {
    let number: Int = try value(index)
    guard (-farthestDay...farthestDay).contains(number) else { throw StoreError.damaged("day \(number)") }
    return CalendarDay(number: number)
  }

  /// The column as a minute since 1970, with the same limit.
  func minute(_ index: Int) throws -> Int {
    let number: Int = try value(index)
    try checkMinute(number)
    return number
  }
}

/// Throws `StoreError.damaged` for a minute since 1970 that is more than ten thousand years away.
func checkMinute(_ number: Int) throws {
  guard (-farthestDay * 1440...farthestDay * 1440).contains(number) else {
    throw StoreError.damaged("minute \(number)")
  }
}

/// Ten thousand years in days. Arithmetic on smaller days and minutes cannot overflow.
private let farthestDay = 3_652_500
