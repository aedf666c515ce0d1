internal import JSON
internal import Telemetry

/// Members of the type one hopes for; nil for any other. Events differ between clients and versions: what is not
/// understood in one costs that part, not the event. Nothing is thrown, so that a hostile one costs no error per member.
extension JSONObject {
  func text(_ key: StaticString) -> JSONText? { self[key]?.textOrNil }

  func object(_ key: StaticString) -> JSONObject? { self[key]?.objectOrNil }

  func array(_ key: StaticString) -> JSONArray? {
    guard let value = self[key], value.kind == .array else { return nil }
    return value.arrayOrNil
  }

  /// A text that is only compared and hashed, also when it is a number.
  func id(_ key: StaticString) -> String? { text(key).flatMap { $0.count > 0 ? $0.id : nil } ?? name(key) }

  /// Also when it is a number.
  func name(_ key: StaticString) -> String? {
    guard let value = self[key] else { return nil }
    switch value.kind {
    case .string: return value.textOrNil.flatMap { $0.count > 0 ? $0.kept : nil }
    case .integer: return (value.integerOrNil).map { String($0) } ?? (value.unsignedIntegerOrNil).map { String($0) }
    default: return nil
    }
  }

  /// A number no less than 0 that later arithmetic can bear.
  func number(_ key: StaticString) -> Double? {
    guard let value = self[key], value.kind == .integer || value.kind == .double, let number = value.numberOrNil,
      number >= 0, number <= Limits.value
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

/// Numbers that may stand as `"0x1a2b"`, `"6699"` or 6699.
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

  private static func read(_ text: JSONText) -> UInt64? {
    guard (1...20).contains(text.count) else { return nil }
    let text = text.string
    let isHexadecimal = text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8)
    return isHexadecimal ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }
}
