internal import Telemetry

/// When a request arrived, and where its app's days begin: what a document's own times are held against.
struct Receipt {
  let received: Timestamp
  let utcOffsetSeconds: Int

  /// An instant a document names. One that lies more than a day ahead comes from a wrong clock: it counts as now.
  func clamp(_ time: Timestamp) -> Timestamp {
    time.milliseconds > received.milliseconds + 86_400_000 ? received : time
  }

  /// A calendar day a document names. No place on Earth is more than 14 hours ahead of UTC.
  func clamp(_ day: CalendarDay) -> CalendarDay {
    day > received.day(utcOffsetSeconds: 14 * 3600) ? today : day
  }

  /// The app's day of the receipt.
  var today: CalendarDay { received.day(utcOffsetSeconds: utcOffsetSeconds) }
}
