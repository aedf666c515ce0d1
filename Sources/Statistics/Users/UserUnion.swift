/// The union of the user sets of many days: exact while every part is and it stays under 2^20 users, an estimate beyond.
public struct UserUnion: Sendable {
  /// The number of users from which on only an estimate is kept.
  public static let exactLimit = 1 << 20

  private enum Content: Sendable {
    case hashes(Set<UInt64>)
    case registers(HyperLogLog)
  }

  private var content = Content.hashes([])

  public init() {}

  public mutating func add(_ set: UserSet) {
    let mine = content
    content = .hashes([])
    switch (mine, set.content) {
    case (.hashes(var hashes), .hashes(let others)):
      hashes.formUnion(others)
      content = hashes.count < Self.exactLimit ? .hashes(hashes) : .registers(HyperLogLog().including(hashes))
    case (.hashes(let hashes), .registers(let others)): content = .registers(others.including(hashes))
    case (.registers(let registers), .hashes(let others)): content = .registers(registers.including(others))
    case (.registers(var registers), .registers(let others)):
      registers.merge(others)
      content = .registers(registers)
    }
  }

  /// Whether `estimate` is the exact number.
  public var isExact: Bool {
    if case .hashes = content { true } else { false }
  }

  /// How many distinct users there were.
  public var estimate: Int {
    switch content {
    case .hashes(let hashes): hashes.count
    case .registers(let registers): registers.estimate
    }
  }

  /// The standard error of `estimate` relative to it; 0 when exact.
  public var relativeError: Double { isExact ? 0 : HyperLogLog.relativeError }
}
