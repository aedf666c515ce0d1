internal import JSON

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
