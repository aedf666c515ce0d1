import Testing

@testable import Web

@Suite("Turns of dry runs")
struct TrialTurnTests {
  private struct Failure: Error {}

  @Test("a token has one at a time, another token its own, and one that fails gives its turn back")
  func turns() {
    let turns = TrialTurns()
    let found = turns.take("privacy") { [turns.take("privacy") { 1 }, turns.take("support") { 2 }] }
    #expect(found == [nil, 2])
    #expect(throws: Failure.self) { try turns.take("privacy") { throw Failure() } }
    #expect(turns.take("privacy") { 3 } == 3)
  }
}
