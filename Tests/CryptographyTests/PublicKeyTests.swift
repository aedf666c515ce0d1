import Testing

@testable import Core

@Suite("Public keys")
struct PublicKeyTests {
  // RFC 6979, A.2.5: the key, and its signature of "sample" with SHA-256.
  private static let x = bytes("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6")
  private static let y = bytes("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
  private static let r = bytes("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716")
  private static let s = bytes("f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
  // FIPS 186-4, D.1.2.3: the prime of the field and the order of the group.
  private static let prime = bytes("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
  private static let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
  private static let zero = [UInt8](repeating: 0, count: 32)

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
  }

  @Test("P-256 verifies the signature of RFC 6979 and no other")
  func p256() throws {
    let key = try #require(PublicKey.p256(x: Self.x, y: Self.y))
    let (message, signature) = (Array("sample".utf8), Self.r + Self.s)
    #expect(key.verifies(signature, of: message))
    #expect(!key.verifies(signature, of: message + [0]))
    #expect(!key.verifies(signature, of: []))
    for bit in 0..<512 {
      var flipped = signature
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(!key.verifies(flipped, of: message))
    }
    for malformed in [
      [], Array(signature.dropLast()), signature + [0], [0] + signature, Self.zero + Self.zero, Self.zero + Self.s,
      Self.r + Self.zero, Self.order + Self.s, Self.r + Self.order, Self.s + Self.r,
      // The same in DER, as other protocols write it.
      [0x30, 0x46, 0x02, 0x21, 0] + Self.r + [0x02, 0x21, 0] + Self.s,
    ] {
      #expect(!key.verifies(malformed, of: message))
    }
  }

  @Test("a point that is not on the curve is not a key")
  func points() {
    var beside = Self.y
    beside[31] ^= 1
    let short = Array(Self.x.dropFirst())
    for (x, y) in [
      (Self.x, beside), (Self.y, Self.x), (Self.zero, Self.zero), (Self.prime, Self.y), (Self.x, Self.prime),
      (short, Self.y), (Self.x, Self.y + [0]), ([], []),
    ] {
      #expect(PublicKey.p256(x: x, y: y) == nil)
    }
  }

  @Test("an RSA key has an odd modulus of 2048 to 8192 bits and an odd exponent of at most 33 bits, but not 1")
  func rsa() {
    func modulus(bits: Int, isOdd: Bool = true) -> [UInt8] {
      let first = UInt8(1 << ((bits - 1) % 8))
      return [first] + [UInt8](repeating: 0x5a, count: (bits + 7) / 8 - 2) + [isOdd ? 0x5b : 0x5a]
    }
    let usual: [UInt8] = [1, 0, 1]
    for bits in [2048, 2049, 4096, 8192] {
      #expect(PublicKey.rsa(modulus: modulus(bits: bits), exponent: usual) != nil)
      #expect(PublicKey.rsa(modulus: [0] + modulus(bits: bits), exponent: usual) != nil)
      #expect(PublicKey.rsa(modulus: modulus(bits: bits, isOdd: false), exponent: usual) == nil)
    }
    for bits in [16, 1024, 2047, 8193, 16_384, 1_000_000] {
      #expect(PublicKey.rsa(modulus: modulus(bits: bits), exponent: usual) == nil)
    }
    let large = modulus(bits: 2048)
    for exponent: [UInt8] in [[3], [1, 0, 0, 0, 1], [1, 255, 255, 255, 255], [0, 0, 0, 1, 0, 1]] {
      #expect(PublicKey.rsa(modulus: large, exponent: exponent) != nil)
    }
    for exponent: [UInt8] in [
      [], [0], [1], [2], [0, 1], [1, 0, 0], [2, 0, 0, 0, 1], [UInt8](repeating: 1, count: 256),
    ] {
      #expect(PublicKey.rsa(modulus: large, exponent: exponent) == nil)
    }
    #expect(PublicKey.rsa(modulus: [], exponent: usual) == nil)
  }
}
