internal import Core

/// Parses times from Sentry clients and corrects them by the error of the client's clock.
struct SentryClock {
  let context: DecodingContext
  /// The correction that is added to the client's times, in milliseconds.
  private let drift: Int64

  /// The largest clock error that is not corrected, in milliseconds. Five minutes may be the transport's delay.
  private static let tolerated: Int64 = 5 * 60_000

  /// Determines the clock's error. `sentAt` is the client's time of sending. Without it, nothing is corrected.
  init(_ context: DecodingContext, sentAt: JSONValue?) {
    self.context = context
    let difference = sentAt.flatMap(Self.parse).map { context.received.milliseconds - $0.milliseconds } ?? 0
    drift = abs(difference) > Self.tolerated ? difference : 0
  }

  /// Parses and corrects a time. Throws if the value is not a time.
  func time(_ value: JSONValue) throws(JSONError) -> Timestamp {
    if let time = instant(value) { return time }
    throw value.failure("expected a time such as \"2026-11-20T10:00:00Z\", or seconds since 1970")
  }

  /// Parses and corrects a time; nil if the value is not a time.
  func instant(_ value: JSONValue) -> Timestamp? {
    Self.parse(value).map { context.clamp(Timestamp(milliseconds: $0.milliseconds + drift)) }
  }

  /// Parses RFC 3339, in which a missing zone means UTC, or seconds since 1970.
  static func parse(_ value: JSONValue) -> Timestamp? {
    switch value.kind {
    case .string:
      guard let text = value.textOrNil, (19...64).contains(text.count) else { return nil }
      return Timestamp(iso: text.bytes) ?? Timestamp(iso: text.string + "Z")
    case .integer, .double: return (value.numberOrNil).flatMap { TimestampParsing.timestamp($0) }
    default: return nil
    }
  }
}
