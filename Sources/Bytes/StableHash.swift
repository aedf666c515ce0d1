/// FNV-1a over 64 bits with a final mix. It gives the same value in every process and version, because values are stored:
/// never change it. Not for secrets.
///
/// Source: isthe.com/chongo/tech/comp/fnv
public struct StableHash {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  public init() {}

  /// The hash of everything added so far.
  public var value: UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    return mixed ^ (mixed >> 32)
  }

  private mutating func add(byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// The text, closed by a byte that UTF-8 never holds, so that "ab" + "c" is not "a" + "bc".
  public mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte: byte) }
    add(byte: 0xFF)
  }

  /// The number's eight bytes, the least significant first.
  public mutating func add(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }
}
