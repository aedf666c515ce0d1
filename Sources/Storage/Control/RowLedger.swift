public import Telemetry

/// How many rows apps have written on a day, by weight, over restarts.
public protocol RowLedger: Sendable {
  /// What was remembered of a day.
  func rowsWritten(on day: CalendarDay) throws -> [AppID: Int]
  /// Remembers what was written on a day, and forgets the days before it.
  func rememberRows(_ rows: [AppID: Int], on day: CalendarDay) throws
}
