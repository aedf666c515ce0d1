import Foundation
import GRDB
import Storage
import Telemetry

/// Columns read so that a damaged row is an error. GRDB's subscripts end the process where a value does not convert.
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

  /// A count: what is not a number is 0, what a sum in SQL made a REAL is the largest there is, less than nothing is 0.
  func count(_ index: Int) -> Int {
    switch (self[index] as DatabaseValue).storage {
    case .int64(let count): Swift.max(0, Int(clamping: count))
    case .double(let count): count > 0 ? Int(exactly: count.rounded()) ?? .max : 0
    case .null, .string, .blob: 0
    }
  }

  /// A day since 1970. Days further away than calendars can tell are damage.
  func day(_ index: Int) throws -> CalendarDay {
    let number: Int = try value(index)
    guard (-farthestDay...farthestDay).contains(number) else { throw StoreError.damaged("day \(number)") }
    return CalendarDay(number: number)
  }

  /// A minute since 1970, likewise.
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
