import Testing

@testable import Core

@Suite("scrypt")
struct ScryptTests {
  @Test("scrypt gives the test vectors of RFC 7914, section 12")
  func vectors() throws {
    func derive(_ password: String, _ salt: String, _ parameters: Substring) throws -> String? {
      let parameters = try #require(Scrypt.Parameters(parameters))
      return Scrypt.derive(Array(password.utf8), salt: Array(salt.utf8), parameters, count: 64).map(Hex.encode)
    }
    #expect(
      try derive("", "", "ln=4,r=1,p=1")
        == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")
    #expect(
      try derive("password", "NaCl", "ln=10,r=8,p=16")
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
    #expect(
      try derive("pleaseletmein", "SodiumChloride", "ln=14,r=8,p=1")
        == "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
        + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887")
  }

  @Test("scrypt derives a key with the most memory that parameters allow, and none with invalid parameters")
  func bounds() throws {
    // 128 · r · 2^ln is 128 MiB.
    let largest = try #require(Scrypt.Parameters("ln=15,r=32,p=1"))
    #expect(Scrypt.derive([1], salt: [2], largest, count: 32) != nil)
    #expect(Scrypt.Parameters("ln=16,r=32,p=1") == nil)
    // RFC 7914, section 2: N must be less than 2^(128 · r / 8).
    let impossible = try #require(Scrypt.Parameters("ln=16,r=1,p=1"))
    #expect(Scrypt.derive([1], salt: [2], impossible, count: 32) == nil)
  }
}
