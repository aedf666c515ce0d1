/// Functions that call themselves, or each other in turn.
enum Recursion {
  /// The longest circle that is looked for.
  private static let longest = 4

  /// Without what repeats: `a a a b` is `a b`, and a circle `b a b a b c` is written from its least member, wherever
  /// in it the stack ended.
  static func collapse<Call, Key: Comparable>(_ calls: [Call], by key: (Call) -> Key) -> [Call] {
    var single: [Call] = []
    for call in calls where single.last.map(key) != key(call) { single.append(call) }
    let keys = single.map(key)
    for period in 2...longest {
      let whole = repeated(keys, period)
      // Two rounds may be chance; a stack that overflowed has many.
      guard whole >= 3 * period || whole == keys.count && whole >= 2 * period + 1 else { continue }
      let least = (0..<period).min { left, right in
        (0..<period).map { keys[(left + $0) % period] }.lexicographicallyPrecedes(
          (0..<period).map { keys[(right + $0) % period] })
      }
      return (0..<period).map { single[((least ?? 0) + $0) % period] } + single[whole...]
    }
    return single
  }

  /// How many keys from the start repeat with this period.
  private static func repeated<Key: Equatable>(_ keys: [Key], _ period: Int) -> Int {
    guard keys.count > period else { return 0 }
    var count = period
    while count < keys.count, keys[count] == keys[count - period] { count += 1 }
    return count
  }
}
