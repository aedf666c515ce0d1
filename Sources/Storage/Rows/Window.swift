public import Core

/// A range of whole days, including both ends.
public struct Window: Hashable, Sendable {
  public var from: CalendarDay
  public var to: CalendarDay

  public init(from: CalendarDay, to: CalendarDay) {
    self.from = from
    self.to = max(from, to)
  }

  /// The `days` days that end on `last`.
  public init(days: Int, endingOn last: CalendarDay) { self.init(from: last - (max(1, days) - 1), to: last) }

  /// The number of days in the window.
  public var days: Int { to.number - from.number + 1 }

  /// Every day of the window, oldest first.
  public var allDays: [CalendarDay] { (from.number...to.number).map(CalendarDay.init(number:)) }

  /// The window divided into windows of `length` days, oldest first. Only the oldest may be shorter.
  public func steps(of length: Int) -> [Window] {
    stride(from: to.number, through: from.number, by: -max(1, length)).reversed().map { last in
      let first = max(from.number, last - max(1, length) + 1)
      return Window(from: CalendarDay(number: first), to: CalendarDay(number: last))
    }
  }
}

/// The result of reading a window: the complete value, or the first day from which rows are kept.
public enum KeptWindow<Value> {
  case whole(Value)
  /// The rows with these filters are kept from this day on.
  case from(CalendarDay)

  /// Reads a window. Rethrows every error except `StoreError.windowTooOld`.
  public init(_ read: () throws -> Value) throws {
    do {
      self = .whole(try read())
    } catch StoreError.windowTooOld(let oldest) {
      self = .from(oldest)
    }
  }

  /// The value of the complete window; nil if some of its rows have expired.
  public var whole: Value? { if case .whole(let value) = self { value } else { nil } }
}
