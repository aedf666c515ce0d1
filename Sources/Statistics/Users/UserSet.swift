/// A set of users by 64-bit hashes: each one up to 2,048, registers that estimate their number beyond. The hashes must be
/// spread evenly, as those of a keyed hash function are.
///
/// What it holds depends only on the users in it, not on the order of insertions and unions.
public struct UserSet: Sendable, Equatable {
  /// The most users kept one by one.
  public static let exactLimit = 2_048
  /// The standard error of the estimate beyond, relative to it.
  public static let relativeError = HyperLogLog.relativeError

  enum Content: Sendable, Equatable {
    /// Sorted, each once.
    case hashes([UInt64])
    case registers(HyperLogLog)
  }

  var content = Content.hashes([])

  public init() {}

  /// Whether `estimate` is the exact number.
  public var isExact: Bool {
    if case .hashes = content { true } else { false }
  }

  /// How many users it holds.
  public var estimate: Int {
    switch content {
    case .hashes(let hashes): hashes.count
    case .registers(let registers): registers.estimate
    }
  }

  public mutating func insert(_ hash: UInt64) {
    switch content {
    case .registers(var registers):
      content = .hashes([])
      registers.insert(hash)
      content = .registers(registers)
    case .hashes(var hashes):
      let place = Self.place(of: hash, in: hashes)
      if place < hashes.count, hashes[place] == hash { return }
      content = .hashes([])
      hashes.insert(hash, at: place)
      content = Self.content(of: hashes)
    }
  }

  /// Forms the union.
  public mutating func merge(_ other: UserSet) {
    switch (content, other.content) {
    case (.hashes(let mine), .hashes(let others)):
      if others.isEmpty { return }
      content = Self.content(of: mine.isEmpty ? others : Self.union(mine, others))
    case (.hashes(let mine), .registers(let others)):
      content = .registers(others.including(mine))
    case (.registers(let mine), .hashes(let others)):
      content = .registers(mine.including(others))
    case (.registers(var mine), .registers(let others)):
      mine.merge(others)
      content = .registers(mine)
    }
  }

  private static func content(of hashes: [UInt64]) -> Content {
    hashes.count > exactLimit ? .registers(HyperLogLog().including(hashes)) : .hashes(hashes)
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

extension HyperLogLog {
  func including(_ hashes: some Sequence<UInt64>) -> HyperLogLog {
    var result = self
    for hash in hashes { result.insert(hash) }
    return result
  }
}
