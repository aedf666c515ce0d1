public import Storage
public import Telemetry

/// How much time a digest sums up: whole days that are over.
public enum SummaryPeriod: String, Sendable, CaseIterable {
  case day
  case week

  var days: Int { self == .day ? 1 : 7 }

  /// The newest days that are over on `today`.
  public func window(before today: CalendarDay) -> Window { Window(days: days, endingOn: today - 1) }

  /// As many days before it.
  public func previous(of window: Window) -> Window { Window(days: days, endingOn: window.from - 1) }

  /// `day before`, `week before`
  var before: String { "\(rawValue) before" }
}
