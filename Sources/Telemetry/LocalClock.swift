/// How far the clocks of a place are ahead of UTC at every instant: a session before the end of summer time belongs to
/// the day it had then, though it is received in winter.
public struct LocalClock: Hashable, Sendable {
  /// Clocks that were set to another offset.
  public struct Change: Hashable, Sendable {
    public var at: Timestamp
    /// Seconds ahead of UTC from then on.
    public var utcOffsetSeconds: Int

    public init(at: Timestamp, utcOffsetSeconds: Int) {
      self.at = at
      self.utcOffsetSeconds = utcOffsetSeconds
    }
  }

  /// Seconds ahead of UTC before the first change.
  public var utcOffsetSeconds: Int
  /// The oldest first.
  public var changes: [Change]

  public init(utcOffsetSeconds: Int, changes: [Change] = []) {
    self.utcOffsetSeconds = utcOffsetSeconds
    self.changes = changes
  }

  public static let utc = LocalClock(utcOffsetSeconds: 0)

  /// Seconds ahead of UTC.
  public func utcOffsetSeconds(at instant: Timestamp) -> Int {
    changes.last { $0.at <= instant }?.utcOffsetSeconds ?? utcOffsetSeconds
  }

  public func day(of instant: Timestamp) -> CalendarDay {
    instant.day(utcOffsetSeconds: utcOffsetSeconds(at: instant))
  }

  /// What of it is needed for the instants of `range`.
  public func trimmed(to range: ClosedRange<Timestamp>) -> LocalClock {
    guard !changes.isEmpty else { return self }
    return LocalClock(
      utcOffsetSeconds: utcOffsetSeconds(at: range.lowerBound),
      changes: changes.filter { range.lowerBound < $0.at && $0.at <= range.upperBound })
  }
}
