import Testing
import TestSupport

@testable import Web

@Suite("Passwords")
struct PasswordTests {
  @Test("a hash of another implementation is verified with its own parameters")
  func foreign() {
    // Python 3: hashlib.scrypt(b"correct horse battery", salt=bytes(range(100, 116)), …)
    let hashes = [
      "$scrypt$ln=15,r=8,p=1$ZGVmZ2hpamtsbW5vcHFycw$gjFq8+BnaGXG6ODDdBpsDzd59yhaleeO0XYQfknvX3s",
      "$scrypt$ln=10,r=4,p=2$ZGVmZ2hpamtsbW5vcHFycw$86Ob9ltfgA57cy5kUmtiPT+wUMTN8cn4",
    ]
    for hash in hashes {
      #expect(PasswordHash.verify("correct horse battery", against: hash))
      #expect(!PasswordHash.verify("correct horse batterz", against: hash))
      #expect(!PasswordHash.verify("correct horse battery ", against: hash))
    }
  }

  @Test("a password verifies only against its own hash, and two hashes of it differ")
  func roundTrip() throws {
    let first = try PasswordHash.make("correct horse battery")
    let second = try PasswordHash.make("correct horse battery")
    #expect(first != second)
    #expect(first.hasPrefix("$scrypt$ln=15,r=8,p=1$"))
    #expect(PasswordHash.verify("correct horse battery", against: first))
    #expect(!PasswordHash.verify("Correct horse battery", against: first))
  }

  @Test("short, long and empty passwords are refused without a trap")
  func limits() {
    #expect(throws: PasswordError.tooShort) { try PasswordHash.make("") }
    #expect(throws: PasswordError.tooShort) { try PasswordHash.make("123456789") }
    #expect(throws: PasswordError.tooLong) { try PasswordHash.make(String(repeating: "x", count: 1025)) }
    #expect(!PasswordHash.verify("", against: nil))
    #expect(!PasswordHash.verify(String(repeating: "x", count: 5000), against: nil))
  }

  @Test("verifying an unknown user takes as long as a wrong password")
  func unknownUser() throws {
    let known = try PasswordHash.make("correct horse battery")
    func cost(against hash: String?) -> Double {
      processorTime { _ = PasswordHash.verify("wrong password", against: hash) }
    }
    #expect((0.5...2).contains(cost(against: nil) / cost(against: known)))
  }

  @Test(
    "a damaged hash, or one that needs excessive work, is not a hash",
    arguments: [
      "", "x", "$scrypt$", "$scrypt$ln=15,r=8,p=1$$", "$scrypt$ln=63,r=8,p=1$ZGVmZ2hpamtsbW5vcHFycw$AAAA",
      "$scrypt$ln=20,r=32,p=16$ZGVmZ2hpamtsbW5vcHFycw$ZGVmZ2hpamtsbW5vcHFycw",
      "$scrypt$ln=-1,r=8,p=1$ZGVmZ2hpamtsbW5vcHFycw$ZGVmZ2hpamtsbW5vcHFycw",
      "$scrypt$ln=10,r=99999999999999999999,p=1$ZGVmZ2hpamtsbW5vcHFycw$ZGVmZ2hpamtsbW5vcHFycw",
      "$bcrypt$ln=15,r=8,p=1$ZGVmZ2hpamtsbW5vcHFycw$ZGVmZ2hpamtsbW5vcHFycw",
      "$scrypt$ln=10,r=8,p=1$!!!!$ZGVmZ2hpamtsbW5vcHFycw", "$scrypt$ln=10,r=8,p=1$ZGVmZ2hpamtsbW5vcHFycw$ZGVm$x",
    ])
  func damaged(hash: String) {
    #expect(PasswordHash.parse(hash) == nil)
  }

  @Test("nothing verifies against a damaged hash")
  func damagedVerify() {
    #expect(!PasswordHash.verify("correct horse battery", against: "$scrypt$ln=63,r=8,p=1$ZGVmZ2hpamtsbW5vcHFycw$AAAA"))
  }
}
