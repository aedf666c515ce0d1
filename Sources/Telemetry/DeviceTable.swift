/// One row of the table of models.
struct DeviceModel: Sendable {
  let identifier: String
  let name: String
  let chip: Chip

  init(_ identifier: String, _ name: String, _ chip: Chip) {
    self.identifier = identifier
    self.name = name
    self.chip = chip
  }
}

/// The models known when this version was built, and the rules for those that came later.
enum DeviceTable {
  static let models: [DeviceModel] = phones + olderPads + newerPads + intelMacs + appleSiliconMacs

  static let names = Dictionary(models.map { ($0.identifier, $0.name) }, uniquingKeysWith: { first, _ in first })
  static let chips = Dictionary(models.map { ($0.identifier, $0.chip) }, uniquingKeysWith: { first, _ in first })

  /// The number in a phone's name. Its identifier names the chip: `iPhone15,x` has the A16, new in the iPhone 14 Pro; the
  /// plain iPhones 14 and 15 carry the chip of the year before.
  static func phoneGeneration(of phone: ModelIdentifier) -> Int {
    switch (phone.major, phone.minor) {
    case (14, 7), (14, 8): 14
    case (15, 4), (15, 5): 15
    default: phone.major - 1
    }
  }

  /// Whether a Mac has an Intel processor; nil when the family is no Mac's.
  static func macChip(of mac: ModelIdentifier) -> Chip? {
    if let chip = chips["\(mac.family)\(mac.major),\(mac.minor)"] { return chip }
    if mac.family == "Mac" || mac.family == "VirtualMac" { return .appleSilicon }
    guard let firstAppleSilicon = firstAppleSiliconMajor[String(mac.family)] else { return nil }
    return mac.major < firstAppleSilicon ? .intel : .appleSilicon
  }

  /// The first major number of each Mac family that had an M1; families that ended with Intel have none.
  private static let firstAppleSiliconMajor = [
    "MacBookAir": 10, "MacBookPro": 17, "Macmini": 9, "iMac": 21, "MacBook": .max, "iMacPro": .max, "MacPro": .max,
  ]
}

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
