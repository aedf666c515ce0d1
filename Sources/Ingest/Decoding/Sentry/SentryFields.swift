internal import Core

/// Lenient access to members: nil for a missing member and for one of another type. Sentry events differ between
/// clients and versions, so an unexpected member is ignored, not refused. Nothing is thrown, so a hostile event cannot
/// cause an error per member.
extension JSONObject {
  func text(_ key: StaticString) -> BorrowedJSONString? { self[key]?.textOrNil }

  func object(_ key: StaticString) -> JSONObject? { self[key]?.objectOrNil }

  func array(_ key: StaticString) -> JSONArray? {
    guard let value = self[key], value.kind == .array else { return nil }
    return value.arrayOrNil
  }

  /// An id from a text or an integer. Ids are only compared and hashed.
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

  func number(_ key: StaticString) -> Double? { self[key]?.quantity }

  func integer(_ key: StaticString) -> Int? { self[key]?.rounded }

  func boolean(_ key: StaticString) -> Bool? { self[key]?.booleanOrNil }
}

extension JSONValue {
  /// A number from 0 to `DecodingLimits.value`; nil for anything else.
  var quantity: Double? { numberOrNil.flatMap { $0 >= 0 && $0 <= DecodingLimits.value ? $0 : nil } }

  /// A number, rounded; nil for anything else.
  var rounded: Int? { numberOrNil.flatMap { Int(exactly: $0.rounded()) } }
}

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
    var digits = text.bytes[...]
    let isHexadecimal = digits.count > 1 && digits[0] == UInt8(ascii: "0") && digits[1] | 0x20 == UInt8(ascii: "x")
    if isHexadecimal { digits = digits.dropFirst(2) }
    let sign = digits.first
    if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { digits = digits.dropFirst() }
    let number = isHexadecimal ? hexadecimal(digits) : decimal(digits)
    return sign == UInt8(ascii: "-") && number != 0 ? nil : number
  }

  /// The number with at least one and at most 18 hexadecimal digits; nil for any other text.
  private static func hexadecimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      guard let nibble = nibble(digit), value >> 60 == 0 else { return nil }
      value = value << 4 | nibble
    }
    return digits.isEmpty ? nil : value
  }

  private static func decimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      let (tens, isLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(UInt64(digit - 48))
      if isLarge || isLarger { return nil }
      value = sum
    }
    return digits.isEmpty ? nil : value
  }

  private static func nibble(_ digit: UInt8) -> UInt64? {
    switch digit {
    case 48...57: UInt64(digit - 48)
    case 65...70: UInt64(digit - 55)
    case 97...102: UInt64(digit - 87)
    default: nil
    }
  }
}
