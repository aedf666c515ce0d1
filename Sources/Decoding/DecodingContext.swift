public import Telemetry

/// What a decoder must know beside the body.
public struct DecodingContext: Sendable {
  /// When the request arrived. Times ahead of it are brought back to it.
  public var received: Timestamp
  /// The clock of the app's zone.
  public var clock: LocalClock
  /// The app keeps the free text of exceptions, which may hold what users typed.
  public var keepsExceptionText: Bool

  public init(received: Timestamp, clock: LocalClock = .utc, keepsExceptionText: Bool = false) {
    self.received = received
    self.clock = clock
    self.keepsExceptionText = keepsExceptionText
  }
}

extension DecodingContext {
  /// An instant a document names. One that lies more than a day ahead comes from a wrong clock: it counts as now.
  func clamp(_ time: Timestamp) -> Timestamp {
    time.milliseconds > received.milliseconds + 86_400_000 ? received : time
  }

  /// A calendar day a document names. No place on Earth is more than 14 hours ahead of UTC.
  func clamp(_ day: CalendarDay) -> CalendarDay {
    day > received.day(utcOffsetSeconds: 14 * 3600) ? today : day
  }

  /// The app's day of the receipt.
  var today: CalendarDay { clock.day(of: received) }
}
