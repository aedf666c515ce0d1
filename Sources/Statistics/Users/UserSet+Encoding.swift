public import Bytes

extension UserSet {
  private static let version: UInt8 = 1

  private enum Form: UInt8 {
    case hashes = 0
    case packed = 1
    case sparse = 2
  }

  /// Appends a version byte and a form: 8 bytes a user, or the registers (12,288 bytes, or 2 for each in use if fewer).
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

  /// Reads what `encode` wrote; anything else throws.
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
  /// Six bits a register, four registers in three bytes.
  fileprivate func encodePacked(into writer: inout ByteWriter) {
    for place in stride(from: 0, to: Self.size, by: 4) {
      let four = (0..<4).reduce(UInt32(0)) { $0 | UInt32(registers[place + $1]) << UInt32(6 * $1) }
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
      for place in 0..<4 { registers.append(UInt8(truncatingIfNeeded: four >> UInt32(6 * place)) & 63) }
    }
    guard let log = HyperLogLog(registers: registers) else { throw reader.damage }
    self = log
  }

  /// For each register in use: how many unused ones lie before it, and its value.
  fileprivate func encodeSparse(into writer: inout ByteWriter) {
    var next = 0
    for (place, value) in registers.enumerated() where value > 0 {
      writer.count(place - next)
      writer.byte(value)
      next = place + 1
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
