import Foundation
import GRDB
import Storage
import Telemetry

/// Reads of columns that throw on a damaged row. GRDB's subscripts end the process where a value does not convert.
extension Row {
  /// The column's value; an optional one may be NULL. Throws `StoreError.damaged` for anything else.
  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws -> Value {
    do {
      return try decode(Value.self, atIndex: index)
    } catch {
      throw StoreError.damaged("column \(index): \(error)")
    }
  }

  /// The named column's value.
  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: String, as type: Value.Type = Value.self
  ) throws -> Value {
    do {
      return try decode(Value.self, forColumn: column)
    } catch {
      throw StoreError.damaged("\(column): \(error)")
    }
  }

  /// The named column's instant, stored in milliseconds.
  func time(_ column: String) throws -> Timestamp { Timestamp(milliseconds: try value(column)) }

  /// The named column's instant; nil for NULL.
  func time(_ column: String) throws -> Timestamp? {
    try value(column, as: Int64?.self).map(Timestamp.init(milliseconds:))
  }

  /// A count. Values that are no number and negative ones are 0; a sum that SQLite turned into a REAL is clamped.
  func count(_ index: Int) -> Int {
    switch (self[index] as DatabaseValue).storage {
    case .int64(let count): Swift.max(0, Int(clamping: count))
    case .double(let count): count > 0 ? Int(exactly: count.rounded()) ?? .max : 0
    case .null, .string, .blob: 0
    }
  }

  /// A day since 1970. Days more than ten thousand years away are damage.
  func day(_ index: Int) throws -> CalendarDay {
    let number: Int = try value(index)
    guard (-farthestDay...farthestDay).contains(number) else { throw StoreError.damaged("day \(number)") }
    return CalendarDay(number: number)
  }

  /// A minute since 1970, within the same bound.
  func minute(_ index: Int) throws -> Int {
    let number: Int = try value(index)
    guard (-farthestDay * 1440...farthestDay * 1440).contains(number) else {
      throw StoreError.damaged("minute \(number)")
    }
    return number
  }
}

/// Ten thousand years: arithmetic on days and minutes within them cannot overflow.
private let farthestDay = 3_652_500
