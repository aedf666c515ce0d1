public import Core

/// How long an installation has run a release at the start of a session, in days of the app's calendar since its first
/// session with the release.
///
/// Raw values are stored: never change one.
public enum UpdateAge: UInt8, Sendable, Hashable, CaseIterable, Comparable {
  /// The installation's first session with the release. Caches are built anew, so it is slower and crashes more often.
  case firstSession = 0
  /// A later session on the same day.
  case sameDay = 1
  case nextDay = 2
  case days2To3 = 3
  case days4To7 = 4
  case later = 5

  /// The age of a session on `day`, after a first session on `first`.
  public init(of day: CalendarDay, since first: CalendarDay) {
    switch day.number - first.number {
    case ...0: self = .sameDay
    case 1: self = .nextDay
    case 2...3: self = .days2To3
    case 4...7: self = .days4To7
    default: self = .later
    }
  }

  public static func < (left: UpdateAge, right: UpdateAge) -> Bool { left.rawValue < right.rawValue }
}
