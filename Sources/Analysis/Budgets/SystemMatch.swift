/// A condition on the OS version: `iOS <17`, `iOS >= 17.2`, `iOS 17`.
struct SystemMatch: Sendable, Hashable {
  /// The name of the operating system, spelt as in stored rows: `iOS`.
  let system: String
  let comparison: Comparison
  /// The numbers of the version, at least one: 17.2 is [17, 2].
  let version: [Int]

  /// How an OS version relates to the condition's version.
  enum Comparison: String, Sendable, CaseIterable {
    case below = "<"
    case atMost = "<="
    case atLeast = ">="
    case above = ">"
    /// All versions with this prefix: `iOS 17` matches 17.0, 17.4.1 and so on.
    case within = ""
  }

  /// Creates a condition; nil for an unknown operating system or a version without numbers.
  init?(system: String, comparison: Comparison, version: [Int]) {
    let wanted = system.lowercased()
    guard let known = Self.systems.first(where: { $0.lowercased() == wanted }), !version.isEmpty else { return nil }
    self.system = known
    self.comparison = comparison
    self.version = version
  }

  /// The names of operating systems that may follow `on`.
  static let systems = ["iOS", "iPadOS", "macOS", "tvOS", "watchOS", "visionOS"]

  /// Whether an OS version such as `iOS 17.4.1` meets the condition. Only as many components are compared as the
  /// condition has, so 17.4.1 is `<= 17` and not `> 17`. Missing components count as 0.
  func matches(_ text: String) -> Bool {
    guard text.utf8.starts(with: "\(system) ".utf8),
      let numbers = Self.numbers(text.utf8.dropFirst(system.utf8.count + 1))
    else {
      return false
    }
    for (index, wanted) in version.enumerated() {
      let found = index < numbers.count ? numbers[index] : 0
      if found < wanted { return comparison == .below || comparison == .atMost }
      if found > wanted { return comparison == .above || comparison == .atLeast }
    }
    return comparison != .below && comparison != .above
  }

  /// Whether any version can meet all conditions. False, for example, for above 17 and below 16.
  static func haveCommonVersion(_ conditions: [SystemMatch]) -> Bool {
    let lower = conditions.compactMap(\.first).map(significant).max { $0.lexicographicallyPrecedes($1) }
    let upper = conditions.compactMap(\.end).map(significant).min { $0.lexicographicallyPrecedes($1) }
    guard let upper else { return true }
    return (lower ?? [0]).lexicographicallyPrecedes(upper)
  }

  /// The version without trailing zeros: 17 for 17.0.0.
  private static func significant(_ version: [Int]) -> [Int] {
    Array(version.prefix((version.lastIndex { $0 != 0 } ?? 0) + 1))
  }

  /// The lowest version that meets the condition; nil without a lower bound.
  private var first: [Int]? {
    switch comparison {
    case .below, .atMost: nil
    case .atLeast, .within: version
    case .above: next
    }
  }

  /// The lowest version above those that meet the condition; nil without an upper bound.
  private var end: [Int]? {
    switch comparison {
    case .below: version
    case .atMost, .within: next
    case .atLeast, .above: nil
    }
  }

  /// The version with its last number increased by 1: 17.3 after 17.2.
  private var next: [Int] { version.dropLast() + [version[version.count - 1] + 1] }

  /// The condition as written in a budget: `iOS <17`, `iOS >= 17.2`, `iOS 17`.
  var text: String {
    let sign = comparison.rawValue.utf8.count == 2 ? comparison.rawValue + " " : comparison.rawValue
    return "\(system) \(sign)\(version.map(String.init).joined(separator: "."))"
  }

  /// The components of `17.4.1`, up to the first other character, such as a beta's letter; nil without a number.
  private static func numbers(_ text: Substring.UTF8View) -> [Int]? {
    var numbers: [Int] = []
    let version = text.prefix { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
    for part in version.split(separator: UInt8(ascii: "."), maxSplits: 8) {
      guard let number = Int(Substring(part)) else { return numbers.isEmpty ? nil : numbers }
      numbers.append(number)
    }
    return numbers.isEmpty ? nil : numbers
  }
}
