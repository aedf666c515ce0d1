import Testing

@testable import Core
@testable import Ingest
@testable import Storage

@Suite("Decisions about merged groups")
struct MergedDecisionTests {
  private let now = Timestamp(milliseconds: 9_000)

  private func join(_ part: UInt64, _ diagnostics: Int, before: Int = 0, isEmptied: Bool = true) -> RegroupingMove {
    RegroupingMove(app: 1, part: part, whole: 100, diagnostics: diagnostics, before: before, isEmptied: isEmptied)
  }

  private func state(
    _ joins: [RegroupingMove], _ known: [UInt64: GroupDecision.State]
  ) -> GroupDecision.State? {
    let decisions = known.mapValues { GroupDecision($0, changed: Timestamp(milliseconds: 1)) }
    // What is not changed stays.
    return MergedDecisions.changes(joins, known: decisions, now: now)[100]?.state ?? known[100]
  }

  @Test("the decision about most diagnostics wins, in any order of groups")
  func most() {
    #expect(state([join(1, 1, before: 5)], [1: .ignored]) ?? .open == .open)
    #expect(state([join(1, 6, before: 5)], [1: .ignored]) == .ignored)
    #expect(state([join(1, 5, before: 5)], [1: .ignored]) ?? .open == .open)
    #expect(state([join(1, 1, before: 5)], [100: .ignored]) == .ignored)
    #expect(state([join(1, 9, before: 5)], [100: .ignored]) == .open)
    #expect(state([join(1, 9, before: 5)], [1: .ignored, 100: .ignored]) == .ignored)
    let three = [join(1, 3), join(2, 4), join(3, 3)]
    #expect(state(three, [1: .ignored, 3: .ignored]) == .ignored)
    #expect(state(three.reversed(), [1: .ignored, 3: .ignored]) == .ignored)
    #expect(state(three, [1: .ignored, 3: .resolved(release: "2")]) ?? .open == .open)
    #expect(state([join(1, 3), join(2, 4)], [1: .ignored, 2: .resolved(release: "2")]) == .resolved(release: "2"))
    #expect(state(three, [:]) == nil)
  }

  @Test("the decision about a part is deleted when the part is empty, and not before")
  func parts() {
    let known: [UInt64: GroupDecision] = [
      1: GroupDecision(.ignored, changed: now), 2: GroupDecision(.ignored, changed: now),
    ]
    let made = MergedDecisions.changes(
      [join(1, 1, before: 5), join(2, 1, before: 5, isEmptied: false)], known: known, now: now)
    #expect(made[1]?.state == .open && made[2] == nil && made[100] == nil)
  }
}
