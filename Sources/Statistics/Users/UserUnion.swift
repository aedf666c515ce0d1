/// The union of the user sets of many days: exact while every part is and it stays under 2^20 users, an estimate beyond.
public struct UserUnion: Sendable {
  /// The number of users from which on only an estimate is kept.
  public static let exactLimit = 1 << 20

  private var hashes = SpreadSet()
  private var registers: HyperLogLog?

  /// No users.
  public init() {}

  /// Adds the users of a day.
  public mutating func add(_ set: UserSet) {
    if let others = set.registers {
      if registers == nil { registers = HyperLogLog() }
      registers?.merge(others)
    } else if registers == nil {
      hashes.insert(contentsOf: set.hashes)
      if hashes.count >= Self.exactLimit { registers = HyperLogLog() }
    } else {
      registers?.insert(contentsOf: set.hashes)
    }
    guard registers != nil, !hashes.isEmpty else { return }
    registers?.insert(contentsOf: hashes.elements)
    hashes = SpreadSet()
  }

  /// Whether `estimate` is the exact number.
  public var isExact: Bool { registers == nil }

  /// How many distinct users there were.
  public var estimate: Int { registers?.estimate ?? hashes.count }

  /// The standard error of `estimate` relative to it; 0 when exact.
  public var relativeError: Double { isExact ? 0 : HyperLogLog.relativeError }
}
