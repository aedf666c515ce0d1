public import Core
import Foundation

/// A time zone of the IANA database, in which an app's days begin.
public struct AppTimeZone: Sendable, Hashable {
  /// The IANA name, such as `Europe/Berlin`.
  let name: String
  private let zone: TimeZone

  /// Nil if the system's time zone database does not have the name.
  public init?(name: String) {
    // Foundation also accepts abbreviations (`CET`, `PST`), some of which are ambiguous.
    guard name == "UTC" || name.utf8.contains(UInt8(ascii: "/")), let zone = TimeZone(identifier: name) else {
      return nil
    }
    self.name = name
    self.zone = zone
  }

  /// The offset at `instant` in seconds ahead of UTC, including daylight saving time.
  public func utcOffsetSeconds(at instant: Timestamp) -> Int {
    zone.secondsFromGMT(for: Self.date(instant))
  }

  /// The zone's offsets from three years before `now`, which exceeds every retention period, to a week after it.
  public func clock(around now: Timestamp) -> TimeZoneOffsets {
    let first = Timestamp(milliseconds: now.milliseconds - 3 * 366 * 86_400_000)
    let last = Self.date(now).addingTimeInterval(7 * 86_400)
    var clock = TimeZoneOffsets(utcOffsetSeconds: utcOffsetSeconds(at: first))
    var date = Self.date(first)
    while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next <= last {
      let instant = Timestamp(milliseconds: Int64(next.timeIntervalSince1970 * 1000))
      clock.changes.append(TimeZoneOffsets.Change(at: instant, utcOffsetSeconds: utcOffsetSeconds(at: instant)))
      date = next
    }
    return clock
  }

  private static func date(_ instant: Timestamp) -> Date {
    Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
  }
}
