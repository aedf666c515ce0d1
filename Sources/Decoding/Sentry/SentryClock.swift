internal import JSON
internal import Telemetry

/// Times as Sentry clients write them, put right by how wrong the device's clock is.
struct SentryClock {
  let context: DecodingContext
  /// What is added to the client's times, in milliseconds.
  private let drift: Int64

  /// A clock that is less wrong than this is believed: the difference may be the way here.
  private static let tolerated: Int64 = 5 * 60_000

  /// `sentAt` is the client's own time of sending; without it the client's clock is believed.
  init(_ context: DecodingContext, sentAt: JSONValue?) {
    self.context = context
    let difference = sentAt.flatMap(Self.parse).map { context.received.milliseconds - $0.milliseconds } ?? 0
    drift = abs(difference) > Self.tolerated ? difference : 0
  }

  /// The instant a client names; an error for what is none.
  func time(_ value: JSONValue) throws(JSONError) -> Timestamp {
    if let time = instant(value) { return time }
    throw value.failure("expected a time such as \"2026-11-20T10:00:00Z\", or seconds since 1970")
  }

  /// The instant a client names; nil for what is none.
  func instant(_ value: JSONValue) -> Timestamp? {
    Self.parse(value).map { context.clamp(Timestamp(milliseconds: $0.milliseconds + drift)) }
  }

  /// RFC 3339, whose zone may be missing and is UTC then, or seconds since 1970.
  private static func parse(_ value: JSONValue) -> Timestamp? {
    switch value.kind {
    case .string:
      guard let text = value.textOrNil, (19...64).contains(text.count) else { return nil }
      return Timestamp(iso: text.string) ?? Timestamp(iso: text.string + "Z")
    case .integer, .double: return (value.numberOrNil).flatMap { ClockTime.timestamp($0) }
    default: return nil
    }
  }
}
