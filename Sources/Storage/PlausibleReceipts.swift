public import Core

/// Which times of receipt are plausible beside the newest one that is known.
public struct PlausibleReceipts: Sendable {
  /// A clock may be this much behind, in milliseconds, such as that of an ingest node.
  public static let slack: Int64 = 86_400_000
  /// And this much ahead: a server that was off for longer asks for a confirmation of its clock.
  static let longestPause: Int64 = 30 * 86_400_000

  /// A receipt that is later than the newest by more than this moves nothing. It is long because folders may be filled by
  /// an import every few months.
  private static let longestGap: Int64 = 180 * 86_400_000

  private let newest: Timestamp?

  private init(_ newest: Timestamp?) { self.newest = newest }

  /// Those beside `newest`; all when nothing is known.
  public static func after(_ newest: Timestamp?) -> PlausibleReceipts { PlausibleReceipts(newest) }

  public func contains(_ time: Timestamp) -> Bool {
    guard let newest else { return true }
    let ahead = time.milliseconds.subtractingReportingOverflow(newest.milliseconds)
    return !ahead.overflow && (-Self.slack...Self.longestPause).contains(ahead.partialValue)
  }

  /// The time, or the newest known one if it is too far ahead.
  public func bounded(_ time: Timestamp) -> Timestamp {
    guard let newest, time > newest else { return time }
    let ahead = time.milliseconds.subtractingReportingOverflow(newest.milliseconds)
    return ahead.overflow || ahead.partialValue > Self.longestGap ? newest : time
  }

  /// The day, or that of the newest known receipt if it is too far ahead: what has no time of its own has that of its
  /// receipt.
  public func bounded(_ day: CalendarDay) -> CalendarDay {
    guard let newest, day.number > newest.day().number + Int(Self.longestGap / 86_400_000) else { return day }
    return newest.day()
  }
}
