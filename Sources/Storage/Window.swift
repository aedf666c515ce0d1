public import Telemetry

/// A run of whole days, both ends included.
public struct Window: Hashable, Sendable {
  public var from: CalendarDay
  public var to: CalendarDay

  public init(from: CalendarDay, to: CalendarDay) {
    self.from = from
    self.to = max(from, to)
  }

  /// The `days` days that end on `last`.
  public init(days: Int, endingOn last: CalendarDay) { self.init(from: last - (max(1, days) - 1), to: last) }

  /// How many days it covers.
  public var days: Int { to.number - from.number + 1 }

  /// Every day, oldest first.
  public var allDays: [CalendarDay] { (from.number...to.number).map(CalendarDay.init(number:)) }
}
