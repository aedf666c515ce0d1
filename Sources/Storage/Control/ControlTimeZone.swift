internal import Foundation
public import Telemetry

/// A zone of the IANA database, for the midnight of an app's day.
public struct ControlTimeZone: Sendable, Hashable {
  /// `Europe/Berlin`
  public let name: String
  private let zone: TimeZone

  /// Nil when the machine's database has no such zone.
  public init?(name: String) {
    // Foundation also takes abbreviations (`CET`, `PST`), some of which mean several zones.
    guard name == "UTC" || name.utf8.contains(UInt8(ascii: "/")), let zone = TimeZone(identifier: name) else {
      return nil
    }
    self.name = name
    self.zone = zone
  }

  /// How far its clocks are ahead of UTC at `instant`, daylight saving time included.
  public func utcOffsetSeconds(at instant: Timestamp) -> Int {
    zone.secondsFromGMT(for: Self.date(instant))
  }

  /// Its clock from three years before `now`, which is more than is kept, to a week behind it.
  public func clock(around now: Timestamp) -> LocalClock {
    let first = Timestamp(milliseconds: now.milliseconds - 3 * 366 * 86_400_000)
    let last = Self.date(now).addingTimeInterval(7 * 86_400)
    var clock = LocalClock(utcOffsetSeconds: utcOffsetSeconds(at: first))
    var date = Self.date(first)
    while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date, next <= last {
      let instant = Timestamp(milliseconds: Int64(next.timeIntervalSince1970 * 1000))
      clock.changes.append(LocalClock.Change(at: instant, utcOffsetSeconds: utcOffsetSeconds(at: instant)))
      date = next
    }
    return clock
  }

  private static func date(_ instant: Timestamp) -> Date {
    Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
  }
}
