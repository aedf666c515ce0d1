import Testing
import TestSupport

@testable import Core
@testable import Web

@Suite("Hashes of ids and tokens")
struct HashTests {
  @Test("an identity hash equals that of Python's hmac")
  func identity() {
    let hash = KeyedIDHash(secret: Array(0..<32))
    // hmac.new(bytes(range(32)), b"com.example.shop\0user-42", "sha256").digest()[:8], big endian
    #expect(hash.hash("user-42", scope: "com.example.shop") == 0xa77d50e86e17e51c)
    #expect(hash.hash("", scope: "") == 0xe711546e3faad4c7)
    #expect(hash.hash("Zoë 🚀", scope: "a") == 0xb4fe4cf8091e4402)
  }

  @Test("an identity hash depends on the secret, the scope and the text")
  func parts() {
    let hash = KeyedIDHash(secret: Array(0..<32))
    #expect(hash.hash("user", scope: "a") != hash.hash("user", scope: "b"))
    #expect(hash.hash("user", scope: "a") != KeyedIDHash(secret: Array(1..<33)).hash("user", scope: "a"))
    #expect(hash.hash("bc", scope: "a") != hash.hash("c", scope: "ab"))
  }

  @Test("a token's hash is its SHA-256, and other texts have no hash")
  func token() {
    // sha256sum of "plumb_0123456789"
    #expect(TokenHash.of("plumb_0123456789") == "b9c98bf9e0f3154ede3d3799a4a5b3064a658d875f8ecedf139931b72e493435")
    #expect(TokenHash.of("Plumb_0123456789") == nil)
    #expect(TokenHash.of("") == nil)
    #expect(TokenHash.of("plumb_" + String(repeating: "x", count: 1000)) == nil)
  }

  @Test("SHA-256 of a cookie's id is the published value for abc")
  func cookie() {
    // FIPS 180-2, appendix B.1
    #expect(
      SessionCookie.hash(ofID: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test("generated keys have the documented form and do not repeat")
  func generator() {
    let hexadecimal = Set("0123456789abcdef")
    let keys = Set((0..<1000).map { _ in KeyGenerator.ingestKey() })
    #expect(keys.count == 1000)
    #expect(keys.allSatisfy { $0.count == 32 && Set($0).isSubset(of: hexadecimal) })
    let tokens = Set((0..<1000).map { _ in KeyGenerator.readToken() })
    #expect(tokens.count == 1000)
    #expect(
      tokens.allSatisfy { $0.hasPrefix("plumb_") && $0.count == 49 && $0.dropFirst(6).allSatisfy(\.isLetterOrDigit) })
    #expect(KeyGenerator.sessionID().count == 64)
  }

  /// A failure names its seed as the argument: put it here to see the failure again.
  @Test("every letter of a token is about equally likely", arguments: [UInt64.random(in: 0...999_999)])
  func uniform(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let counts = Dictionary(grouping: KeyGenerator.base62(62_000, using: &random), by: { $0 }).mapValues(\.count)
    #expect(counts.count == 62)
    // 1,000 expected, standard deviation 31: seven of them.
    #expect(counts.values.allSatisfy { (780...1220).contains($0) })
  }
}

extension Character {
  fileprivate var isLetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}
