internal import JSON
internal import Telemetry

/// Lenient access to members: nil for a missing member and for one of another type. Sentry events differ between
/// clients and versions, so an unexpected member is ignored rather than refused. Nothing is thrown, so that a hostile
/// event cannot cause an error per member.
extension JSONObject {
  func text(_ key: StaticString) -> BorrowedJSONString? { self[key]?.textOrNil }

  func object(_ key: StaticString) -> JSONObject? { self[key]?.objectOrNil }

  func array(_ key: StaticString) -> JSONArray? {
    guard let value = self[key], value.kind == .array else { return nil }
    return value.arrayOrNil
  }

  /// An id, which is only compared and hashed, from a text or an integer.
  func id(_ key: StaticString) -> String? { text(key).flatMap { $0.count > 0 ? $0.id : nil } ?? name(key) }

  /// A name from a text or an integer.
  func name(_ key: StaticString) -> String? {
    guard let value = self[key] else { return nil }
    switch value.kind {
    case .string: return value.textOrNil.flatMap { $0.count > 0 ? $0.kept : nil }
    case .integer: return (value.integerOrNil).map { String($0) } ?? (value.unsignedIntegerOrNil).map { String($0) }
    default: return nil
    }
  }

  /// A number from 0 to `DecodingLimits.value`.
  func number(_ key: StaticString) -> Double? {
    guard let value = self[key], value.kind == .integer || value.kind == .double, let number = value.numberOrNil,
      number >= 0, number <= DecodingLimits.value
    else { return nil }
    return number
  }

  func integer(_ key: StaticString) -> Int? {
    guard let value = self[key], value.kind == .integer || value.kind == .double, let number = value.numberOrNil
    else {
      return nil
    }
    return Int(exactly: number.rounded())
  }

  func boolean(_ key: StaticString) -> Bool? {
    guard let value = self[key], value.kind == .boolean else { return nil }
    return value.booleanOrNil
  }
}

/// Parses times of Sentry clients and corrects them by the error of the client's clock.
struct SentryClock {
  let context: DecodingContext
  /// The correction that is added to the client's times, in milliseconds.
  private let drift: Int64

  /// The largest clock error that is not corrected, in milliseconds: five minutes, which may be the transport's delay.
  private static let tolerated: Int64 = 5 * 60_000

  /// Determines the clock's error. `sentAt` is the client's time of sending; without it nothing is corrected.
  init(_ context: DecodingContext, sentAt: JSONValue?) {
    self.context = context
    let difference = sentAt.flatMap(Self.parse).map { context.received.milliseconds - $0.milliseconds } ?? 0
    drift = abs(difference) > Self.tolerated ? difference : 0
  }

  /// Parses and corrects a time; throws if the value is not a time.
  func time(_ value: JSONValue) throws(JSONError) -> Timestamp {
    if let time = instant(value) { return time }
    throw value.failure("expected a time such as \"2026-11-20T10:00:00Z\", or seconds since 1970")
  }

  /// Parses and corrects a time; nil if the value is not a time.
  func instant(_ value: JSONValue) -> Timestamp? {
    Self.parse(value).map { context.clamp(Timestamp(milliseconds: $0.milliseconds + drift)) }
  }

  /// Parses RFC 3339, where a missing zone means UTC, or seconds since 1970.
  private static func parse(_ value: JSONValue) -> Timestamp? {
    switch value.kind {
    case .string:
      guard let text = value.textOrNil, (19...64).contains(text.count) else { return nil }
      return Timestamp(iso: text.string) ?? Timestamp(iso: text.string + "Z")
    case .integer, .double: return (value.numberOrNil).flatMap { TimestampParsing.timestamp($0) }
    default: return nil
    }
  }
}

/// Parses numbers written as `"0x1a2b"`, `"6699"` or 6699.
enum SentryAddress {
  static func read(_ value: JSONValue) -> UInt64? {
    switch value.kind {
    case .integer:
      if let number = value.unsignedIntegerOrNil { return number }
      return (value.integerOrNil).map { UInt64(bitPattern: Int64($0)) }
    case .string: return value.textOrNil.flatMap(read)
    default: return nil
    }
  }

  private static func read(_ text: BorrowedJSONString) -> UInt64? {
    guard (1...20).contains(text.count) else { return nil }
    let text = text.string
    let isHexadecimal = text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8)
    return isHexadecimal ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }
}
