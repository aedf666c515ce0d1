/// Numbers keys in the order in which they are first seen, from 0.
///
/// It seldom hashes a key that follows an equal one, or the one that it followed before, as in rows that are sorted by
/// series, or by day with the series of each day in the same order.
public struct KeyNumbers<Key: Hashable & Sendable>: Sendable {
  @usableFromInline var keys: [Key] = []
  @usableFromInline var numbers: [Key: Int] = [:]
  /// The number of the latest key.
  @usableFromInline var latest = 0

  @inlinable public init() {}

  /// The number of a key. A new one gets the next number.
  @inlinable public mutating func number(of key: Key) -> Int {
    if latest < keys.count, keys[latest] == key { return latest }
    latest = latest + 1 < keys.count ? latest + 1 : 0
    if latest < keys.count, keys[latest] == key { return latest }
    latest = numbers[key] ?? keys.count
    if latest == keys.count {
      numbers[key] = latest
      keys.append(key)
    }
    return latest
  }

  /// The number of a key; nil if it was not seen.
  @inlinable public func known(_ key: Key) -> Int? { numbers[key] }
}
