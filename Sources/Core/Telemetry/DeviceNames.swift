/// Marketing names and chips of device models.
public enum DeviceNames {
  /// The marketing name, `iPhone 14 Pro` for `iPhone15,2`; nil for an unknown model.
  public static func marketingName(of model: String) -> String? { DeviceTable.names[model] }

  /// The identifiers of all known models.
  public static var models: [String] { DeviceTable.models.map(\.identifier) }

  /// The identifiers of all models with this marketing name, compared without case, together with the name as Apple
  /// writes it; nil when there are none. `iPhone 12` gives `iPhone13,2`.
  public static func models(called name: String) -> (name: String, models: [String])? {
    let wanted = name.lowercased()
    let found = DeviceTable.models.filter { $0.name.lowercased() == wanted }
    return found.first.map { ($0.name, found.map(\.identifier)) }
  }

  /// The chip of a model, A16 for `iPhone15,2`; nil when it is unknown.
  static func chip(of model: String) -> Chip? {
    if let chip = DeviceTable.chips[model] { return chip }
    guard let identifier = ModelIdentifier(model) else { return nil }
    if identifier.family == "iPhone" { return .a(identifier.major + 1) }
    return DeviceTable.macChip(of: identifier)
  }
}
