/// Appends the project's flat encoding: LEB128 varints, zigzag integers, length-prefixed strings, IEEE 754 doubles.
public struct ByteWriter: Sendable {
  /// What has been written so far.
  public var bytes: [UInt8]

  @inlinable public init(reserving capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// One byte.
  @inlinable public mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// An unsigned LEB128 varint: one byte below 128, ten at most.
  @inlinable public mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A count or length. Negative values are written as 0: a count has none.
  @inlinable public mutating func count(_ value: Int) { varint(UInt64(max(0, value))) }

  /// A signed integer, zigzag: small magnitudes stay short.
  @inlinable public mutating func signed(_ value: Int64) { varint(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

  /// A signed 128-bit integer, zigzag, as one varint of up to nineteen bytes.
  @inlinable public mutating func wide(_ value: Int128) {
    var rest = UInt128(bitPattern: (value << 1) ^ (value >> 127))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Eight bytes, little endian. Whole numbers are shorter through `number`.
  @inlinable public mutating func double(_ value: Double) { fixed(value.bitPattern) }

  /// A double that is often a whole number: an even varint holds twice a whole number below 2^52, 1 announces eight bytes.
  @inlinable public mutating func number(_ value: Double) {
    if value >= 0, value < 4_503_599_627_370_496, value == value.rounded(.down), value.sign == .plus {
      varint(UInt64(value) << 1)
    } else {
      byte(1)
      double(value)
    }
  }

  /// Eight bytes, little endian.
  @inlinable public mutating func fixed(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// The length in bytes as a varint, then UTF-8.
  @inlinable public mutating func string(_ text: String) {
    var text = text
    text.withUTF8 {
      varint(UInt64($0.count))
      bytes.append(contentsOf: $0)
    }
  }

  /// The length as a varint, then the bytes.
  @inlinable public mutating func blob(_ data: UnsafeRawBufferPointer) {
    varint(UInt64(data.count))
    bytes.append(contentsOf: data)
  }

  /// The length as a varint, then the bytes.
  @inlinable public mutating func blob(_ data: [UInt8]) {
    varint(UInt64(data.count))
    bytes.append(contentsOf: data)
  }
}
