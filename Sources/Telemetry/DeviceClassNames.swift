/// What people call a model, and the chip inside it.
public enum DeviceNames {
  /// `iPhone 14 Pro` for `iPhone15,2`; nil for a model this version does not know.
  public static func marketingName(of model: String) -> String? { DeviceTable.names[model] }

  /// Identifiers of all models this version knows.
  public static var models: [String] { DeviceTable.models.map(\.identifier) }

  /// `iPhone13,2` for `iPhone 12`, in any case; all models of that name, nil when there are none.
  public static func models(called name: String) -> (name: String, models: [String])? {
    let wanted = name.lowercased()
    let found = DeviceTable.models.filter { $0.name.lowercased() == wanted }
    return found.first.map { ($0.name, found.map(\.identifier)) }
  }

  /// `A16` for `iPhone15,2`; nil when it is not known.
  public static func chip(of model: String) -> Chip? {
    if let chip = DeviceTable.chips[model] { return chip }
    guard let identifier = ModelIdentifier(model) else { return nil }
    if identifier.family == "iPhone" { return .a(identifier.major + 1) }
    return DeviceTable.macChip(of: identifier)
  }
}

/// `iPhone15,2` in its parts.
struct ModelIdentifier: Sendable {
  /// `iPhone`
  let family: Substring
  let major: Int
  let minor: Int

  /// Nil for a text of another shape. Numbers have at most three digits, so that arithmetic on them is safe.
  init?(_ model: String) {
    let bytes = model.utf8
    guard let digit = bytes.firstIndex(where: { (48...57).contains($0) }), digit > bytes.startIndex,
      let comma = bytes[digit...].firstIndex(of: UInt8(ascii: ",")),
      let major = Self.number(bytes[digit..<comma]), let minor = Self.number(bytes[comma...].dropFirst())
    else { return nil }
    family = model[..<digit]
    self.major = major
    self.minor = minor
  }

  private static func number(_ digits: Substring.UTF8View) -> Int? {
    guard (1...3).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 48)
    }
    return value
  }
}
