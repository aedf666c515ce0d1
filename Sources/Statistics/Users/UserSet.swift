/// A set of users by 64-bit hashes: each one up to 2,048, registers that estimate their number beyond. The hashes must be
/// spread evenly, as those of a keyed hash function are.
///
/// What it holds depends only on the users in it, not on the order of insertions and unions.
public struct UserSet: Sendable, Equatable {
  /// The most users kept one by one.
  public static let exactLimit = 2_048
  /// The standard error of the estimate beyond, relative to it.
  public static let relativeError = HyperLogLog.relativeError

  /// Sorted, each once; empty beyond the limit.
  var hashes: [UInt64] = []
  /// What replaces the hashes beyond the limit.
  var registers: HyperLogLog?

  /// No users.
  public init() {}

  /// Whether `estimate` is the exact number.
  public var isExact: Bool { registers == nil }

  /// How many users it holds.
  public var estimate: Int { registers?.estimate ?? hashes.count }

  /// Adds a user; one that is there already changes nothing.
  public mutating func insert(_ hash: UInt64) {
    guard registers == nil else {
      registers?.insert(hash)
      return
    }
    let place = Self.place(of: hash, in: hashes)
    if place < hashes.count, hashes[place] == hash { return }
    hashes.insert(hash, at: place)
    estimateIfMany()
  }

  /// Takes out the users of `other`, as long as both are kept one by one: registers cannot forget a user. What stays behind
  /// beyond the limit is less than their error.
  public mutating func subtract(_ other: UserSet) {
    guard !other.hashes.isEmpty else { return }
    hashes.removeAll { hash in
      let place = Self.place(of: hash, in: other.hashes)
      return place < other.hashes.count && other.hashes[place] == hash
    }
  }

  /// Forms the union.
  public mutating func merge(_ other: UserSet) {
    if let others = other.registers {
      if registers == nil { registers = HyperLogLog() }
      registers?.merge(others)
      registers?.insert(contentsOf: hashes)
      hashes = []
    } else if registers != nil {
      registers?.insert(contentsOf: other.hashes)
    } else if !other.hashes.isEmpty {
      hashes = hashes.isEmpty ? other.hashes : Self.union(hashes, other.hashes)
      estimateIfMany()
    }
  }

  private mutating func estimateIfMany() {
    guard hashes.count > Self.exactLimit else { return }
    registers = HyperLogLog()
    registers?.insert(contentsOf: hashes)
    hashes = []
  }

  private static func place(of hash: UInt64, in hashes: [UInt64]) -> Int {
    var low = 0
    var high = hashes.count
    while low < high {
      let middle = (low + high) / 2
      if hashes[middle] < hash { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func union(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
    var union: [UInt64] = []
    union.reserveCapacity(left.count + right.count)
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      let takesLeft = j == right.count || (i < left.count && left[i] <= right[j])
      let next = takesLeft ? left[i] : right[j]
      if j < right.count, right[j] == next { j += 1 }
      if i < left.count, left[i] == next { i += 1 }
      union.append(next)
    }
    return union
  }
}
