/// A time zone's offsets from UTC over time, so that an instant in summer falls on its summer-time day even when it is
/// received in winter.
public struct TimeZoneOffsets: Hashable, Sendable {
  /// One change of the offset, such as the start of summer time.
  public struct Change: Hashable, Sendable {
    public var at: Timestamp
    /// The offset from UTC that applies from `at` on, in seconds ahead of UTC.
    public var utcOffsetSeconds: Int

    public init(at: Timestamp, utcOffsetSeconds: Int) {
      self.at = at
      self.utcOffsetSeconds = utcOffsetSeconds
    }
  }

  /// The offset before the first change, in seconds ahead of UTC.
  public var utcOffsetSeconds: Int
  /// The changes of the zone's offset from UTC, oldest first.
  public var changes: [Change]

  public init(utcOffsetSeconds: Int, changes: [Change] = []) {
    self.utcOffsetSeconds = utcOffsetSeconds
    self.changes = changes
  }

  public static let utc = TimeZoneOffsets(utcOffsetSeconds: 0)

  /// The zone's offset at an instant, in seconds ahead of UTC.
  public func utcOffsetSeconds(at instant: Timestamp) -> Int {
    changes.last { $0.at <= instant }?.utcOffsetSeconds ?? utcOffsetSeconds
  }

  public func day(of instant: Timestamp) -> CalendarDay {
    instant.day(utcOffsetSeconds: utcOffsetSeconds(at: instant))
  }

  /// A copy of the clock with only the offset changes needed for the instants of `range`.
  public func trimmed(to range: ClosedRange<Timestamp>) -> TimeZoneOffsets {
    guard !changes.isEmpty else { return self }
    return TimeZoneOffsets(
      utcOffsetSeconds: utcOffsetSeconds(at: range.lowerBound),
      changes: changes.filter { range.lowerBound < $0.at && $0.at <= range.upperBound })
  }
}
