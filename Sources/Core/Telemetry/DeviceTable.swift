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
