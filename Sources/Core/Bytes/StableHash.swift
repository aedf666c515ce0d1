/// A 64-bit FNV-1a hash with a final mix. It is stored, so it is the same in every process and version. Not for
/// secrets.
///
/// Source: isthe.com/chongo/tech/comp/fnv
public struct StableHash: Sendable {
  @usableFromInline var state: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates an empty hash.
  @inlinable public init() {}

  /// The hash of everything added so far.
  public var value: UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ (mixed >> 32)
  }

  @inlinable mutating func add(byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// Adds a text and a byte that UTF-8 never contains, so that "ab" + "c" and "a" + "bc" differ.
  @inlinable public mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte: byte) }
    add(byte: 0xFF)
  }

  /// Adds the eight bytes of a number, lowest first.
  @inlinable public mutating func add(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }
}
