/// A 64-bit hash that is the same in every process and on every machine. Not for secrets: collisions can be
/// constructed.
public struct SeededHash: Sendable {
  /// The hash of everything combined so far.
  public private(set) var value: UInt64

  /// Starts a hash. A `seed` continues from the value of another hash.
  public init(seed: UInt64 = 0) { value = seed }

  /// Adds a number. The hash depends on the order of additions.
  @inline(__always) public mutating func combine(_ word: UInt64) {
    value = Self.mixed((value &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mixed(word))
  }

  /// Adds a text with its length, so that "ab", "c" and "a", "bc" differ.
  public mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { combine($0) }
  }

  /// Adds bytes and their count to the hash.
  public mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
    let raw = UnsafeRawBufferPointer(bytes)
    var at = 0
    while at + 8 <= raw.count {
      combine(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
      at += 8
    }
    combine(raw.lastWord(from: at))
    combine(UInt64(raw.count))
  }

  /// The finaliser of MurmurHash3 (Austin Appleby, public domain): flipping one bit of the word changes half of the
  /// result's bits on average.
  @inline(__always) static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    word = (word ^ (word >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return word ^ (word >> 33)
  }
}

extension UnsafeRawBufferPointer {
  /// The fewer than eight bytes from `start` on, the first in the lowest byte, padded with zeros.
  @inline(__always)
  func lastWord(from start: Int) -> UInt64 {
    let size = count - start
    // Two loads that overlap: both have equal bits there.
    if size >= 4 {
      let first = UInt32(littleEndian: loadUnaligned(fromByteOffset: start, as: UInt32.self))
      let last = UInt32(littleEndian: loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
      return UInt64(first) | UInt64(last) &<< UInt64(8 * (size - 4))
    }
    if size >= 2 {
      let first = UInt16(littleEndian: loadUnaligned(fromByteOffset: start, as: UInt16.self))
      let last = UInt16(littleEndian: loadUnaligned(fromByteOffset: count - 2, as: UInt16.self))
      return UInt64(first) | UInt64(last) &<< UInt64(8 * (size - 2))
    }
    return size == 1 ? UInt64(self[start]) : 0
  }
}
