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
