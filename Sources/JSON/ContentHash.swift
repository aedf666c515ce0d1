/// A hash of 64 bits that is the same in every process and on every machine. Not for secrets: collisions can be made.
public struct ContentHash: Sendable {
  /// The hash of all that was combined so far.
  public private(set) var value: UInt64

  /// The hash of nothing, or of what led to `seed`.
  public init(seed: UInt64 = 0) { value = seed }

  /// Adds a number. The order matters.
  public mutating func combine(_ word: UInt64) {
    value = Self.mixed((value &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mixed(word))
  }

  /// Adds a text with its length, so that "ab", "c" and "a", "bc" differ.
  public mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { combine($0) }
  }

  /// Adds bytes with their number.
  public mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
    let raw = UnsafeRawBufferPointer(bytes)
    var at = 0
    while at + 8 <= raw.count {
      combine(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
      at += 8
    }
    var rest: UInt64 = 0
    for byte in raw[at...].reversed() { rest = rest << 8 | UInt64(byte) }
    combine(rest)
    combine(UInt64(raw.count))
  }

  /// The finaliser of MurmurHash3 (Austin Appleby, public domain): each bit of the word changes half of the result's.
  static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    word = (word ^ (word >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return word ^ (word >> 33)
  }
}
