import Testing

@testable import App
@testable import Storage

@Suite("The position of a relay")
struct RelayPositionTests {
  private static let (old, new) = (NodeID("00000000000000aa"), NodeID("00000000000000bb"))

  private func position(_ position: Int64, opened: Int64) -> RelayPosition {
    RelayPosition(RelayState(identity: Self.old, position: position, opened: opened, setAside: 0))
  }

  @Test("a relay continues from the primary's position, even if an answer was lost or the primary is older")
  func usual() {
    var found = position(80, opened: 100)
    // An answer was lost before the start.
    #expect(found.note(90, fresh: { Self.new }) == .forward)
    found.send(through: 130)
    #expect(found.note(130, fresh: { Self.new }) == .forward)
    // The primary was put back from a copy.
    #expect(found.note(50, fresh: { Self.new }) == .back)
    #expect(found.state == RelayState(identity: Self.old, position: 50, opened: nil, setAside: 0))
    // A request of an earlier process is carried out late.
    #expect(found.note(100, fresh: { Self.new }) == .forward)
  }

  @Test("a relay from an old copy takes a new name at the last sequence that the copy had")
  func oldCopy() {
    var found = position(90, opened: 100)
    #expect(found.note(150, fresh: { Self.new }) == .renamed)
    #expect(found.state == RelayState(identity: Self.new, position: 100, opened: nil, setAside: 0))
    // The primary does not know the new name, and takes what follows.
    found.send(through: 160)
    #expect(found.note(160, fresh: { Self.old }) == .forward)
    #expect(found.state.identity == Self.new)
  }

  @Test("a relay whose name another machine also uses takes a new one at the confirmed position")
  func clone() {
    var found = position(0, opened: 0)
    #expect(found.note(0, fresh: { Self.new }) == .forward)
    found.send(through: 10)
    #expect(found.note(10, fresh: { Self.new }) == .forward)
    found.send(through: 20)
    #expect(found.note(25, fresh: { Self.new }) == .renamed)
    #expect(found.state.position == 10 && found.state.identity == Self.new)
    #expect(found.note(.max, fresh: { Self.old }) == .renamed)
    #expect(found.note(-1, fresh: { Self.new }) == .renamed)
  }
}
