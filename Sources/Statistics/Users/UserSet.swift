public import Core

/// A set of users by 64-bit hashes: individual hashes up to 2,048 users, and beyond that a sketch that estimates their
/// number. The hashes must be evenly distributed, as keyed hashes are.
///
/// The content depends only on the users, not on the order of insertions and unions.
public struct UserSet: Sendable, Equatable {
  /// The maximum number of users that are stored individually.
  public static let exactLimit = 2_048
  /// The relative standard error of an estimate.
  public static let relativeError = HyperLogLog.relativeError

  /// The users' hashes, sorted and unique; empty beyond the limit.
  var hashes: [UInt64] = []
  /// The sketch that replaces the hashes beyond the limit.
  var registers: HyperLogLog?

  /// Creates a set without users.
  public init() {}

  /// A set of users by their hashes, in any order.
  public init(_ hashes: some Sequence<UInt64>) {
    self.hashes = Set(hashes).sorted()
    estimateIfMany()
  }

  /// The set with these registers; nil unless there are 2^14 of them with valid values.
  public init?(registers: [UInt8]) {
    guard let log = HyperLogLog(registers: registers) else { return nil }
    self.registers = log
  }

  /// The number of registers of a sketch. The highest bits of a user's hash select the register.
  public static let registerCount = HyperLogLog.size
  /// The bits of a hash that do not select its register.
  public static let rankBits = 64 - HyperLogLog.precision

  /// The minimum value of a user's register.
  public static func rank(of hash: UInt64) -> UInt8 { HyperLogLog.rank(of: hash) }

  /// Hashes of users from which the same set can be built: the individual hashes or, for a sketch, made-up ones, at
  /// least one more than a set stores individually.
  public var representatives: [UInt64] {
    guard let registers = registers?.registers else { return hashes }
    var users: [UInt64] = []
    for (number, rank) in registers.enumerated() where rank > 0 {
      let bits = UInt64(Self.rankBits)
      // The rank is one more than the number of leading zeros.
      users.append(UInt64(number) << bits | (UInt64(rank) > bits ? 0 : 1 << (bits - UInt64(rank))))
    }
    // Additional users of the lowest rank in a register that already has a user.
    let first = ((users.first ?? 0) >> UInt64(Self.rankBits)) << UInt64(Self.rankBits)
    for number in 0..<max(0, Self.exactLimit + 1 - users.count) {
      users.append(first | 1 << UInt64(Self.rankBits - 1) | UInt64(number + 1))
    }
    return users
  }

  /// The memory of the set's users, in bytes.
  public var memory: Int { 8 * hashes.count + (registers == nil ? 0 : Self.registerCount) }

  /// Whether `estimate` is the exact number.
  public var isExact: Bool { registers == nil }

  /// The number of users.
  public var estimate: Int { registers?.estimate ?? hashes.count }

  /// Adds a user. Nothing changes if the user is already a member.
  public mutating func insert(_ hash: UInt64) {
    guard registers == nil else {
      registers?.insert(hash)
      return
    }
    let index = Self.index(of: hash, in: hashes)
    if index < hashes.count, hashes[index] == hash { return }
    hashes.insert(hash, at: index)
    estimateIfMany()
  }

  /// Removes the users of `other` if both sets store users individually: a sketch cannot remove a user. Beyond the
  /// limit, the users that remain are fewer than the sketch's error.
  public mutating func subtract(_ other: UserSet) {
    guard !other.hashes.isEmpty else { return }
    hashes.removeAll { hash in
      let index = Self.index(of: hash, in: other.hashes)
      return index < other.hashes.count && other.hashes[index] == hash
    }
  }

  /// Adds all users of another set.
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

  private static func index(of hash: UInt64, in hashes: [UInt64]) -> Int {
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

extension UserSet {
  private static let version: UInt8 = 1

  private enum Form: UInt8 {
    case hashes = 0
    case packed = 1
    case sparse = 2
  }

  /// Appends a version byte and a form: 8 bytes per user, or the registers (12,288 bytes, or 2 bytes per non-empty
  /// register if that is less).
  public func encode(into writer: inout ByteWriter) {
    writer.byte(Self.version)
    guard let registers else {
      writer.byte(Form.hashes.rawValue)
      writer.count(hashes.count)
      for hash in hashes { writer.fixed(hash) }
      return
    }
    let used = registers.registers.count { $0 > 0 }
    if used > HyperLogLog.size * 3 / 8 {
      writer.byte(Form.packed.rawValue)
      registers.encodePacked(into: &writer)
    } else {
      writer.byte(Form.sparse.rawValue)
      writer.count(used)
      registers.encodeSparse(into: &writer)
    }
  }

  /// Decodes the output of `encode`; throws for any other bytes.
  public init(from reader: inout ByteReader) throws(DamagedBytes) {
    try reader.expect(version: Self.version)
    guard let form = Form(rawValue: try reader.byte()) else { throw reader.damage }
    self.init()
    switch form {
    case .hashes: hashes = try Self.hashes(from: &reader)
    case .packed: registers = try HyperLogLog(packed: &reader)
    case .sparse: registers = try HyperLogLog(sparse: &reader)
    }
  }

  private static func hashes(from reader: inout ByteReader) throws(DamagedBytes) -> [UInt64] {
    let total = try reader.count()
    guard total <= exactLimit, total <= reader.remaining / 8 else { throw reader.damage }
    var hashes: [UInt64] = []
    hashes.reserveCapacity(total)
    for _ in 0..<total {
      let hash = try reader.fixed()
      if let last = hashes.last, last >= hash { throw reader.damage }
      hashes.append(hash)
    }
    return hashes
  }
}

extension HyperLogLog {
  /// Writes six bits per register, four registers in three bytes.
  fileprivate func encodePacked(into writer: inout ByteWriter) {
    for index in stride(from: 0, to: Self.size, by: 4) {
      let four = (0..<4).reduce(UInt32(0)) { $0 | UInt32(registers[index + $1]) << UInt32(6 * $1) }
      for byte in 0..<3 { writer.byte(UInt8(truncatingIfNeeded: four >> UInt32(8 * byte))) }
    }
  }

  fileprivate init(packed reader: inout ByteReader) throws(DamagedBytes) {
    var registers: [UInt8] = []
    registers.reserveCapacity(Self.size)
    for _ in 0..<Self.size / 4 {
      let low = UInt32(try reader.byte())
      let middle = UInt32(try reader.byte())
      let four = low | middle << 8 | UInt32(try reader.byte()) << 16
      for index in 0..<4 { registers.append(UInt8(truncatingIfNeeded: four >> UInt32(6 * index)) & 63) }
    }
    guard let log = HyperLogLog(registers: registers) else { throw reader.damage }
    self = log
  }

  /// Writes each non-empty register as the number of empty ones before it and its value.
  fileprivate func encodeSparse(into writer: inout ByteWriter) {
    var next = 0
    for (index, value) in registers.enumerated() where value > 0 {
      writer.count(index - next)
      writer.byte(value)
      next = index + 1
    }
  }

  fileprivate init(sparse reader: inout ByteReader) throws(DamagedBytes) {
    var registers = [UInt8](repeating: 0, count: Self.size)
    var next = 0
    for _ in 0..<(try reader.count()) {
      let skipped = try reader.count()
      guard skipped < Self.size - next else { throw reader.damage }
      registers[next + skipped] = try reader.byte()
      next += skipped + 1
    }
    guard let log = HyperLogLog(registers: registers) else { throw reader.damage }
    self = log
  }
}

/// The union of the user sets of many days: exact up to 2^20 users if every set is, else an estimate.
public struct UserUnion: Sendable {
  /// The number of users beyond which only an estimate is kept.
  static let exactLimit = 1 << 20

  private var hashes = SpreadSet()
  private var registers: HyperLogLog?

  /// Creates a union of no sets.
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

  /// The number of different users.
  public var estimate: Int { registers?.estimate ?? hashes.count }

  /// The relative standard error of `estimate`; 0 if it is exact.
  public var relativeError: Double { isExact ? 0 : HyperLogLog.relativeError }
}

/// A hash set of numbers that are already evenly distributed, such as keyed hashes. Their lowest bits select the slot
/// without further hashing.
struct SpreadSet: Sendable {
  /// The slots of the hash table. Their number is a power of two; 0 marks a free slot.
  private var slots: [UInt64] = []
  private var filled = 0
  private var hasZero = false

  var count: Int { filled + (hasZero ? 1 : 0) }
  var isEmpty: Bool { count == 0 }

  /// All members, in no particular order.
  var elements: [UInt64] { slots.filter { $0 != 0 } + (hasZero ? [0] : []) }

  /// Adds numbers to the set.
  mutating func insert(contentsOf numbers: [UInt64]) {
    reserve(filled + numbers.count)
    for number in numbers { insert(number) }
  }

  private mutating func insert(_ number: UInt64) {
    guard number != 0 else {
      hasZero = true
      return
    }
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: number) & mask
    while slots[index] != 0 {
      if slots[index] == number { return }
      index = (index + 1) & mask
    }
    slots[index] = number
    filled += 1
  }

  /// Enlarges the table so that at most half of its slots are used and searches stay short.
  private mutating func reserve(_ count: Int) {
    guard 2 * count > slots.count else { return }
    var size = max(16, slots.count)
    while size < 2 * count { size *= 2 }
    let old = slots
    slots = [UInt64](repeating: 0, count: size)
    filled = 0
    for number in old where number != 0 { insert(number) }
  }
}
