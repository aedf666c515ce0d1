/// A group of device models with similar performance: `iPhone 12 and older`, `iPad M2`, `Mac Apple silicon`.
///
/// Stored rows and budget files contain these names: never rename one.
///
/// - iPhones form a class per generation, by their marketing names. A model without a generation number joins the
///   generation that shares its chip: the third iPhone SE is in `iPhone 13`, the iPhone 16e in `iPhone 16`. All models
///   up to the iPhone 12 (A14), and the iPod touch, are one class.
/// - iPads form a class per M chip; those with an A chip are `iPad A13 and older` or `iPad A14 and newer`.
/// - Macs are `Mac Apple silicon` or `Mac Intel`.
/// - A simulator reports its host's architecture as the model and is in `simulator`. Unknown models are in `other`.
public struct DeviceClass: Hashable, Sendable {
  /// The name of the class, such as `iPhone 12 and older`.
  public let name: String

  private init(_ name: String) { self.name = name }

  /// The class of a model such as `iPhone15,2`.
  ///
  /// A model newer than this table gets a class if its identifier implies one: `iPhone19,1` is in `iPhone 18`, because
  /// the major number of iPhones is one higher than the generation that introduced it.
  public static func of(model: String) -> DeviceClass {
    guard let identifier = ModelIdentifier(model) else {
      return simulatorModels.contains(model) ? .simulator : .other
    }
    switch identifier.family {
    case "iPhone": return iPhone(generation: DeviceTable.phoneGeneration(of: identifier))
    case "iPod": return .olderPhones
    case "iPad": return DeviceTable.chips[model].map(iPad(chip:)) ?? .other
    case "AppleTV": return .appleTV
    case "Watch": return .appleWatch
    case "RealityDevice": return .appleVision
    default: return DeviceTable.macChip(of: identifier).map(mac(chip:)) ?? .other
    }
  }

  /// The class with this name, compared without case; nil when there is none.
  public init?(name: String) {
    let wanted = name.lowercased()
    if let known = Self.all.first(where: { $0.name.lowercased() == wanted }) {
      self = known
      return
    }
    guard wanted.hasPrefix("iphone "), let generation = Int(wanted.dropFirst(7)), (13...99).contains(generation),
      wanted == "iphone \(generation)"
    else { return nil }
    self = Self.iPhone(generation: generation)
  }

  /// All classes of the known devices, in the order pages list them.
  public static let all: [DeviceClass] =
    [.olderPhones] + (13...17).map(iPhone(generation:)) + [.olderPads, .newerPads]
    + (1...5).map { iPad(chip: .m($0)) }
    + [.appleSiliconMac, .intelMac, .appleTV, .appleWatch, .appleVision, .simulator, .other]

  /// The class of all iPhones up to the iPhone 12, which has the A14 chip.
  static let olderPhones = DeviceClass("iPhone 12 and older")
  /// The class of simulators, which run on a developer's Mac.
  static let simulator = DeviceClass("simulator")
  /// The class of unknown models.
  public static let other = DeviceClass("other")

  private static let olderPads = DeviceClass("iPad A13 and older")
  private static let newerPads = DeviceClass("iPad A14 and newer")
  private static let appleSiliconMac = DeviceClass("Mac Apple silicon")
  private static let intelMac = DeviceClass("Mac Intel")
  private static let appleTV = DeviceClass("Apple TV")
  private static let appleWatch = DeviceClass("Apple Watch")
  private static let appleVision = DeviceClass("Apple Vision")
  private static let simulatorModels: Set<String> = ["arm64", "x86_64", "i386"]

  private static func iPhone(generation: Int) -> DeviceClass {
    generation <= 12 ? .olderPhones : DeviceClass("iPhone \(generation)")
  }

  private static func iPad(chip: Chip) -> DeviceClass {
    switch chip {
    case .m(let generation): DeviceClass("iPad M\(generation)")
    case .a(let generation): generation <= 13 ? .olderPads : .newerPads
    case .appleSilicon, .intel: .other
    }
  }

  private static func mac(chip: Chip) -> DeviceClass { chip == .intel ? .intelMac : .appleSiliconMac }
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
