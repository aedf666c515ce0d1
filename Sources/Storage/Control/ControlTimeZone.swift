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
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000))
  }
}
