public import Core

/// The parameters of decoding, other than the body.
public struct DecodingContext: Sendable {
  /// The time at which the request arrived. It replaces times in the future.
  var received: Timestamp
  /// The UTC offsets of the app's time zone.
  var clock: TimeZoneOffsets
  /// Whether the app's settings keep the free text of exceptions, which may contain user input.
  var keepsExceptionText: Bool
  /// The names of the attributes that distinguish the app's data, sorted.
  var attributes: [String]

  public init(
    received: Timestamp, clock: TimeZoneOffsets = .utc, keepsExceptionText: Bool = false, attributes: [String] = []
  ) {
    self.received = received
    self.clock = clock
    self.keepsExceptionText = keepsExceptionText
    self.attributes = attributes.sorted()
  }
}

extension DecodingContext {
  /// The time, or the time of receipt if it is more than a day in the future. Only a wrong clock causes that.
  func clamp(_ time: Timestamp) -> Timestamp {
    time.milliseconds > received.milliseconds + 86_400_000 ? received : time
  }

  /// The day, or the app's current day if it is in the future everywhere on Earth. Local clocks are at most 14 hours
  /// ahead of UTC.
  func clamp(_ day: CalendarDay) -> CalendarDay {
    day > received.day(utcOffsetSeconds: 14 * 3600) ? today : day
  }

  /// The day of the receipt in the app's time zone.
  var today: CalendarDay { clock.day(of: received) }
}
