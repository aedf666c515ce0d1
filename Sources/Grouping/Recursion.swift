/// Functions that call themselves, or each other in turn.
enum Recursion {
  /// The longest circle that is looked for.
  private static let longest = 4

  /// Each once, where it is first: how often a function called itself does not tell its cause. In a stack that overflowed
  /// (`isOverflow`) the circle is written from its least member: where in it the stack ended is chance.
  static func collapse<Call, Key: Hashable & Comparable>(
    _ calls: [Call], isOverflow: Bool, by key: (Call) -> Key
  ) -> [Call] {
    var seen: Set<Key> = []
    let single = calls.filter { seen.insert(key($0)).inserted }
    let keys = single.map(key)
    guard isOverflow, let least = keys.indices.min(by: { keys[$0] < keys[$1] }) else { return single }
    return Array(single[least...] + single[..<least])
  }

  /// Whether keys are a circle and nothing else, round after round: all that older stems tell of an overflow.
  static func isCircle<Key: Hashable>(_ keys: [Key]) -> Bool {
    (1...longest).contains { period in
      keys.count > 2 * period && keys.indices.dropFirst(period).allSatisfy { keys[$0] == keys[$0 - period] }
    }
  }
}
