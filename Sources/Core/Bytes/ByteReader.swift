/// A decoder for the encoding that `ByteWriter` writes. It never reads beyond the buffer and never traps: damaged bytes
/// throw.
///
/// It borrows memory: the buffer must outlive the reader.
public struct ByteReader {
  @usableFromInline let buffer: UnsafeRawBufferPointer
  @usableFromInline var position: Int

  @inlinable public init(_ buffer: UnsafeRawBufferPointer) {
    self.buffer = buffer
    position = 0
  }

  /// The number of bytes that the reader has not read yet.
  @inlinable public var remaining: Int { buffer.count - position }
  /// The bytes that the reader has not read yet.
  @inlinable public var unread: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[position...]) }
  /// Whether the reader has read all bytes.
  @inlinable public var isAtEnd: Bool { position >= buffer.count }

  @inlinable public mutating func byte() throws(DamagedBytes) -> UInt8 {
    guard position < buffer.count else { throw DamagedBytes(offset: position) }
    defer { position += 1 }
    return buffer[position]
  }

  // Most numbers are below 128, so that one comparison suffices.
  @inlinable @inline(__always) public mutating func varint() throws(DamagedBytes) -> UInt64 {
    guard position < buffer.count, buffer[position] < 0x80 else { return try longVarint() }
    defer { position += 1 }
    return UInt64(buffer[position])
  }

  @usableFromInline mutating func longVarint() throws(DamagedBytes) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    var at = position
    defer { position = at }
    while at < buffer.count {
      let next = buffer[at]
      at &+= 1
      value |= UInt64(next & 0x7f) &<< shift
      if next < 0x80 { return value }
      shift &+= 7
      if shift > 63 { break }
    }
    throw DamagedBytes(offset: at)
  }

  @inlinable public mutating func count() throws(DamagedBytes) -> Int {
    let value = try varint()
    guard value <= UInt64(Int.max) else { throw DamagedBytes(offset: position) }
    return Int(value)
  }

  @inlinable public mutating func signed() throws(DamagedBytes) -> Int64 {
    let raw = try varint()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  @inlinable public mutating func wide() throws(DamagedBytes) -> Int128 {
    // Nearly all values fit into 63 bits, which one register accumulates.
    var low: UInt64 = 0
    var shift: UInt64 = 0
    while position < buffer.count, shift < 63 {
      let next = buffer[position]
      position &+= 1
      low |= UInt64(next & 0x7f) &<< shift
      if next < 0x80 { return Int128(Int64(low >> 1) ^ -Int64(low & 1)) }
      shift &+= 7
    }
    var raw = UInt128(low)
    while position < buffer.count {
      let next = buffer[position]
      position += 1
      raw |= UInt128(next & 0x7f) << shift
      if next < 0x80 { return Int128(bitPattern: raw >> 1) ^ -Int128(bitPattern: raw & 1) }
      shift += 7
      if shift > 127 { break }
    }
    throw DamagedBytes(offset: position)
  }

  @inlinable public mutating func fixed() throws(DamagedBytes) -> UInt64 {
    guard remaining >= 8 else { throw DamagedBytes(offset: position) }
    defer { position += 8 }
    return UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  @inlinable public mutating func double() throws(DamagedBytes) -> Double { Double(bitPattern: try fixed()) }

  @inlinable public mutating func number() throws(DamagedBytes) -> Double {
    let raw = try varint()
    if raw & 1 == 0 { return Double(raw >> 1) }
    return try double()
  }

  /// Reads a length-prefixed string. Bytes that are not UTF-8 become U+FFFD.
  @inlinable public mutating func string() throws(DamagedBytes) -> String {
    String(decoding: try slice(), as: UTF8.self)
  }

  /// Reads length-prefixed bytes. They are borrowed from the buffer, not copied.
  @inlinable public mutating func slice() throws(DamagedBytes) -> UnsafeRawBufferPointer {
    try slice(of: try count())
  }

  /// Reads `length` bytes. They are borrowed from the buffer, not copied.
  @inlinable public mutating func slice(of length: Int) throws(DamagedBytes) -> UnsafeRawBufferPointer {
    guard length >= 0, length <= remaining else { throw DamagedBytes(offset: position) }
    defer { position += length }
    return UnsafeRawBufferPointer(rebasing: buffer[position..<position + length])
  }

  /// Skips `length` bytes.
  @inlinable @inline(__always) public mutating func skip(_ length: Int) throws(DamagedBytes) {
    guard length >= 0, length <= remaining else { throw DamagedBytes(offset: position) }
    position += length
  }

  /// Reads a count of at least 1; throws for 0.
  @inlinable public mutating func positiveCount() throws(DamagedBytes) -> Int {
    let value = try count()
    guard value > 0 else { throw damage }
    return value
  }

  /// Reads a version byte; throws for any other than `version`.
  @inlinable public mutating func expect(version: UInt8) throws(DamagedBytes) {
    guard try byte() == version else { throw damage }
  }

  /// The error for damaged bytes before the current position.
  @inlinable public var damage: DamagedBytes { DamagedBytes(offset: position) }
}

/// The error for bytes that end too early or that `ByteWriter` cannot have written.
public struct DamagedBytes: Error, Sendable, CustomStringConvertible {
  /// The byte offset at which decoding stopped because the bytes are damaged.
  public let offset: Int

  @inlinable public init(offset: Int) { self.offset = offset }

  public var description: String { "damaged bytes at offset \(offset)" }
}
