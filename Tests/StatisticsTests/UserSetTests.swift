import Testing
import TestSupport

@testable import Statistics

@Suite("Sets of users")
struct UserSetTests {
  private func set(_ hashes: some Sequence<UInt64>) -> UserSet {
    var set = UserSet()
    for hash in hashes { set.insert(hash) }
    return set
  }

  private func hashes(_ count: Int, seed: UInt64) -> [UInt64] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in random.next() }
  }

  @Test("up to 2,048 users the number is exact, even with repeated insertions")
  func exact() {
    let users = hashes(2_048, seed: 1)
    var set = set(users + users.shuffled())
    #expect(set.isExact)
    #expect(set.estimate == 2_048)
    set.insert(42)
    #expect(!set.isExact)
    #expect(abs(set.estimate - 2_049) < 60)
  }

  @Test(
    "estimates err by 0.81 % (root mean square over several fleets)", arguments: [3_000, 20_000, 100_000])
  func error(count: Int) {
    let fleets = count > 50_000 ? 6 : 24
    var squares = 0.0
    for fleet in 0..<fleets {
      let error = Double(set(hashes(count, seed: UInt64(1_000 * fleet + count))).estimate) / Double(count) - 1
      #expect(abs(error) < 4 * UserSet.relativeError)
      squares += error * error
    }
    #expect((squares / Double(fleets)).squareRoot() < 1.6 * UserSet.relativeError)
  }

  @Test("a union does not depend on order, nor on when its parts became estimates")
  func union() {
    let users = hashes(9_000, seed: 7)
    let whole = set(users)
    let parts = [set(users[..<100]), set(users[50..<2_000]), set(users[2_000..<6_000]), set(users[5_500...])]
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 0, 3, 2]] {
      var union = UserSet()
      for index in order { union.merge(parts[index]) }
      #expect(union == whole)
    }
  }

  @Test("a union over days is exact while every part is exact")
  func days() {
    let users = hashes(30_000, seed: 8)
    var union = UserUnion()
    for start in stride(from: 0, to: 28_000, by: 1_000) { union.add(set(users[start..<start + 2_000])) }
    #expect(union.isExact)
    #expect(union.estimate == 29_000)
    #expect(union.relativeError == 0)
    union.add(set(users[20_000...]))
    #expect(!union.isExact)
    #expect(union.relativeError == 1.04 / 128)
    #expect(abs(Double(union.estimate) / 30_000 - 1) < 4 * union.relativeError)
  }
}
