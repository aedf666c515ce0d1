import Testing

@testable import Core

@Suite("Hashes and authentication codes")
struct HashTests {
  private static let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

  @Test(
    "SHA-256 and SHA-1 give the values of FIPS 180-2",
    arguments: [
      (
        "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709"
      ),
      (
        "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "a9993e364706816aba3e25717850c26c9cd0d89d"
      ),
      (
        long, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
      ),
      (
        String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        "34aa973cd4c4daa4f61eeb2bdbad27316534016f"
      ),
    ])
  func published(text: String, sha256: String, sha1: String) {
    #expect(Hex.encode(MessageDigest.sha256(text.utf8)) == sha256)
    for (algorithm, expected) in [(MessageDigest.Algorithm.sha256, sha256), (.sha1, sha1)] {
      // In portions that are no whole blocks.
      var digest = MessageDigest(algorithm)
      let bytes = Array(text.utf8)
      bytes.withUnsafeBytes { all in
        for start in stride(from: 0, to: all.count, by: 1009) {
          digest.update(UnsafeRawBufferPointer(rebasing: all[start..<min(start + 1009, all.count)]))
        }
      }
      digest.update(UnsafeRawBufferPointer(start: nil, count: 0))
      #expect(Hex.encode(digest.finalize()) == expected)
    }
  }

  @Test("HMAC-SHA256 gives the test vectors of RFC 4231")
  func codes() {
    func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
    let vectors: [(key: [UInt8], message: [UInt8], code: String)] = [
      (bytes(0x0b, 20), Array("Hi There".utf8), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (bytes(0xaa, 20), bytes(0xdd, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
      (Array(1...25), bytes(0xcd, 50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
      (
        bytes(0xaa, 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      (
        bytes(0xaa, 131),
        Array(
          "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
            .utf8), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
      ),
    ]
    for (key, message, code) in vectors {
      let hmac = HMACSHA256(key: key)
      // Twice: a code leaves nothing behind in the key.
      #expect(Hex.encode(hmac.code(message)) == code)
      #expect(Hex.encode(hmac.code(message)) == code)
    }
  }

  @Test("many threads can use an HMAC key at the same time")
  func shared() async {
    let hmac = HMACSHA256(key: "Jefe".utf8)
    let codes = await withTaskGroup(of: Set<[UInt8]>.self) { group in
      for _ in 0..<4 {
        group.addTask { Set((0..<2000).map { _ in hmac.code("what do ya want for nothing?".utf8) }) }
      }
      return await group.reduce(into: Set()) { $0.formUnion($1) }
    }
    #expect(codes.map(Hex.encode) == ["5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"])
  }

  @Test("bytes are equal only if all of them are")
  func equal() {
    #expect(ConstantTime.equal([], []))
    #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 0x83]))
    #expect(!ConstantTime.equal([0, 2, 3], [1, 2, 3]))
  }
}
