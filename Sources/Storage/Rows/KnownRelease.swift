public import Core

/// A build in an environment, with its first and last day.
public struct KnownRelease: Sendable, Hashable {
  public var release: Release
  public var environment: String
  public var firstDay: CalendarDay
  public var lastDay: CalendarDay

  public init(release: Release, environment: String, firstDay: CalendarDay, lastDay: CalendarDay) {
    self.release = release
    self.environment = environment
    self.firstDay = firstDay
    self.lastDay = lastDay
  }
}
