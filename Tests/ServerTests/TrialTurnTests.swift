import Testing

@testable import Web

@Suite("Turns of dry runs")
struct TrialTurnTests {
  private struct Failure: Error {}

  @Test("a token has one dry run at a time, another token its own, and a failed one returns its turn")
  func turns() {
    let turns = TrialTurns()
    let found = turns.take("privacy") { [turns.take("privacy") { 1 }, turns.take("support") { 2 }] }
    #expect(found == [nil, 2])
    #expect(throws: Failure.self) { try turns.take("privacy") { throw Failure() } }
    #expect(turns.take("privacy") { 3 } == 3)
  }
}
