/// One device model: its identifier (`iPhone15,2`), its marketing name and its chip.
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

/// The device models known when this version was built, and rules that classify newer ones by their identifiers.
enum DeviceTable {
  static let models: [DeviceModel] = phones + olderPads + newerPads + intelMacs + appleSiliconMacs

  static let names = Dictionary(models.map { ($0.identifier, $0.name) }, uniquingKeysWith: { first, _ in first })
  static let chips = Dictionary(models.map { ($0.identifier, $0.chip) }, uniquingKeysWith: { first, _ in first })

  /// The generation in an iPhone's marketing name. The identifier follows the chip instead: `iPhone15,x` has the A16,
  /// introduced in the iPhone 14 Pro, while the plain iPhones 14 and 15 have the chip of the year before.
  static func phoneGeneration(of phone: ModelIdentifier) -> Int {
    switch (phone.major, phone.minor) {
    case (14, 7), (14, 8): 14
    case (15, 4), (15, 5): 15
    default: phone.major - 1
    }
  }

  /// The chip of a Mac; nil when the family is not a Mac's. A model newer than the table is Intel or Apple
  /// silicon by its major number.
  static func macChip(of mac: ModelIdentifier) -> Chip? {
    if let chip = chips["\(mac.family)\(mac.major),\(mac.minor)"] { return chip }
    if mac.family == "Mac" || mac.family == "VirtualMac" { return .appleSilicon }
    guard let firstAppleSilicon = firstAppleSiliconMajor[String(mac.family)] else { return nil }
    return mac.major < firstAppleSilicon ? .intel : .appleSilicon
  }

  /// The first major number of each Mac family with Apple silicon; `.max` for families that ended with Intel.
  private static let firstAppleSiliconMajor = [
    "MacBookAir": 10, "MacBookPro": 17, "Macmini": 9, "iMac": 21, "MacBook": .max, "iMacPro": .max, "MacPro": .max,
  ]
}

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

/// A device identifier such as `iPhone15,2`, split into family, major and minor number.
struct ModelIdentifier: Sendable {
  /// The family in a device identifier, such as `iPhone`.
  let family: Substring
  let major: Int
  let minor: Int

  /// Parses an identifier; nil when it is not letters, a number, a comma and a number. Numbers have at most three
  /// digits, so that arithmetic on them cannot overflow.
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

/// A generation of Apple's or Intel's processors. Variants such as Pro, Max, X and Z belong to their generation.
enum Chip: Hashable, Sendable {
  case a(Int)
  case m(Int)
  /// An M chip of unknown generation, in a Mac.
  case appleSilicon
  case intel

  /// The name that is shown: `A15`, `M2`, `Apple silicon`, `Intel`.
  var name: String {
    switch self {
    case .a(let generation): "A\(generation)"
    case .m(let generation): "M\(generation)"
    case .appleSilicon: "Apple silicon"
    case .intel: "Intel"
    }
  }
}
