public import Core

/// The range of plausible times of receipt, relative to the newest known one.
public struct PlausibleReceipts: Sendable {
  /// The maximum by which a clock, such as that of an ingest node, may be behind, in milliseconds.
  public static let slack: Int64 = 86_400_000
  /// The maximum by which a clock may be ahead. A server that was off for longer requires a confirmation of its clock.
  static let longestPause: Int64 = 30 * 86_400_000

  /// A receipt that is later than the newest by more than this has no effect on expiry. The limit is long because an
  /// import may fill a folder only every few months.
  private static let longestGap: Int64 = 180 * 86_400_000

  private let newest: Timestamp?

  private init(_ newest: Timestamp?) { self.newest = newest }

  /// The range relative to `newest`; every time is plausible if it is nil.
  public static func after(_ newest: Timestamp?) -> PlausibleReceipts { PlausibleReceipts(newest) }

  public func contains(_ time: Timestamp) -> Bool {
    guard let newest else { return true }
    let ahead = time.milliseconds.subtractingReportingOverflow(newest.milliseconds)
    return !ahead.overflow && (-Self.slack...Self.longestPause).contains(ahead.partialValue)
  }

  /// The time, or the newest known time if it is too far ahead.
  public func bounded(_ time: Timestamp) -> Timestamp {
    guard let newest, time > newest else { return time }
    let ahead = time.milliseconds.subtractingReportingOverflow(newest.milliseconds)
    return ahead.overflow || ahead.partialValue > Self.longestGap ? newest : time
  }

  /// The day, or the day of the newest known receipt if it is too far ahead, for data whose day comes from its receipt.
  public func bounded(_ day: CalendarDay) -> CalendarDay {
    guard let newest, day.number > newest.day().number + Int(Self.longestGap / 86_400_000) else { return day }
    return newest.day()
  }
}
