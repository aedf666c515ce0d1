/// A hash over bytes: what is known by all that it says has this for a name. Not for secrets.
struct ContentHash {
  private(set) var value: UInt64

  init(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0x9e37_79b9_7f4a_7c15) {
    value = seed ^ UInt64(bytes.count)
    var at = 0
    while at + 8 <= bytes.count {
      value = Self.fold(value ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at += 8
    }
    for byte in bytes[at...] { value = Self.fold(value ^ UInt64(byte)) }
  }

  /// Two independent hashes as 32 hexadecimal digits.
  static func name(of bytes: UnsafeRawBufferPointer) -> String {
    let second = ContentHash(bytes, seed: 0xc2b2_ae3d_27d4_eb4f)
    return "\(String(ContentHash(bytes).value, radix: 16)).\(String(second.value, radix: 16))"
  }

  private static func fold(_ value: UInt64) -> UInt64 {
    let product = (value ^ 0x2545_f491_4f6c_dd1d).multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
    return product.high ^ product.low
  }
}
