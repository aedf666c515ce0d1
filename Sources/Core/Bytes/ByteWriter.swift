/// A writer of the project's flat encoding: LEB128 varints, zigzag integers, length-prefixed strings, IEEE 754 doubles.
///
/// It manages its own memory to avoid an array's checks on every byte: the record of a typical payload has 900 bytes in
/// 400 values.
public struct ByteWriter: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  @usableFromInline var end: Int

  /// The number of bytes written so far.
  @inlinable public var count: Int { end }

  public init(reserving capacity: Int = 0) {
    self.capacity = max(64, capacity)
    base = .allocate(capacity: self.capacity)
    end = 0
  }

  deinit { base.deallocate() }

  /// A copy of the bytes written so far.
  public var bytes: [UInt8] { [UInt8](UnsafeBufferPointer(start: base, count: count)) }

  /// Passes the bytes written so far to `body`, without a copy.
  public borrowing func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Discards the bytes written so far and keeps the memory.
  public mutating func removeAll() { end = 0 }

  /// Discards the bytes from an offset on.
  public mutating func removeAll(from offset: Int) { end = min(end, max(0, offset)) }

  /// Writes a varint at `offset` over `placeholder` bytes, usually the length of the bytes that follow. They are moved
  /// if the varint has another size.
  public mutating func insert(count value: Int, at offset: Int, over placeholder: Int) {
    let last = end
    precondition(0 <= offset && 0 <= placeholder && placeholder <= last - offset)
    reserve(Self.longestVarint)
    let bits = UInt64.bitWidth - max(0, value).leadingZeroBitCount
    let size = max(1, (bits + 6) / 7)
    if size != placeholder {
      (base + offset + size).update(from: base + offset + placeholder, count: last - offset - placeholder)
    }
    end = offset
    count(value)
    end = last + size - placeholder
  }

  private static let longestVarint = 10

  /// Appends one byte.
  @inlinable @inline(__always) public mutating func byte(_ value: UInt8) {
    if end >= capacity { grow(by: 1) }
    base[end] = value
    end &+= 1
  }

  /// Appends an unsigned LEB128 varint: one byte for values below 128, at most ten.
  @inlinable @inline(__always) public mutating func varint(_ value: UInt64) {
    // Most numbers are below 128.
    guard value < 0x80, end < capacity else { return longVarint(value) }
    base[end] = UInt8(truncatingIfNeeded: value)
    end &+= 1
  }

  @usableFromInline mutating func longVarint(_ value: UInt64) {
    reserve(Self.longestVarint)
    var place = base + end
    var rest = value
    while rest >= 0x80 {
      place.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
      place += 1
      rest >>= 7
    }
    place.pointee = UInt8(truncatingIfNeeded: rest)
    end = place - base + 1
  }

  /// Appends a count or length as a varint. A negative value is written as 0.
  @inlinable public mutating func count(_ value: Int) { varint(UInt64(max(0, value))) }

  /// Appends a signed integer as a zigzag varint, which is short for small magnitudes.
  @inlinable public mutating func signed(_ value: Int64) { varint(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

  /// Appends a signed 128-bit integer as a zigzag varint of up to nineteen bytes.
  public mutating func wide(_ value: Int128) {
    var rest = UInt128(bitPattern: (value << 1) ^ (value >> 127))
    if let small = UInt64(exactly: rest) { return varint(small) }
    while rest >= 0x80 {
      byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    byte(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends eight bytes, little endian. `number` takes fewer for whole numbers.
  public mutating func double(_ value: Double) { fixed(value.bitPattern) }

  /// Appends a double that is often a whole number. A whole number from 0 to 2^52 − 1 is written as the varint of twice
  /// its value, which is even; any other value as the byte 1 followed by eight bytes.
  public mutating func number(_ value: Double) {
    if let whole = value.wholeNumber {
      varint(whole << 1)
    } else {
      byte(1)
      double(value)
    }
  }

  /// Appends eight bytes, little endian.
  public mutating func fixed(_ value: UInt64) {
    reserve(8)
    UnsafeMutableRawPointer(base + end).storeBytes(of: value.littleEndian, as: UInt64.self)
    end += 8
  }

  /// Appends the length in bytes as a varint, then the text as UTF-8.
  public mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { blob(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the length of `data` as a varint, then its bytes.
  public mutating func blob(_ data: [UInt8]) { data.withUnsafeBytes { blob($0) } }

  /// Appends the length of `data` as a varint, then its bytes.
  public mutating func blob(_ data: UnsafeRawBufferPointer) {
    varint(UInt64(data.count))
    raw(data)
  }

  /// Appends bytes unchanged.
  public mutating func raw(_ data: UnsafeRawBufferPointer) {
    guard let source = data.baseAddress, data.count > 0 else { return }
    reserve(data.count)
    UnsafeMutableRawPointer(base + end).copyMemory(from: source, byteCount: data.count)
    end += data.count
  }

  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(by: more) }
  }

  @usableFromInline mutating func grow(by more: Int) {
    capacity = max(capacity * 2, end + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: base, count: end)
    base.deallocate()
    base = larger
  }
}

extension Double {
  /// The value as an integer, if it is a whole number from 0 to 2^52 − 1; nil for −0.
  @inlinable @inline(__always) public var wholeNumber: UInt64? {
    // As an integer and back, because rounding is a call of a function on older processors.
    guard self >= 0, self < 4_503_599_627_370_496, sign == .plus else { return nil }
    let whole = Int64(self)
    return Double(whole) == self ? UInt64(bitPattern: whole) : nil
  }
}
