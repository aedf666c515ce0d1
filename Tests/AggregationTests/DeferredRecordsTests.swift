import Testing

@testable import Core
@testable import Ingest
@testable import Storage

/// Records of many cells wait for the flush as bytes: what is applied is the same.
struct DeferredRecordsTests {
  private static func record(_ number: Int) -> [UInt8] {
    var measurements = [
      Measurement(.known(100), at: .day(Fixture.today - number % 9), .samples([Double(number), 16])),
      Measurement(.known(610), at: .day(Fixture.today - number % 5), .counter(Double(number))),
      Measurement(
        .known(205), label: "Screen \(number % 3)", at: .instant(Fixture.now.minutesEarlier(number % 90)),
        .samples([Double(number)])),
    ]
    if number % 7 == 0 { measurements = [] }
    // Most have whole days only, for which they wait.
    if number % 5 > 0 { measurements.removeAll { if case .instant = $0.time { true } else { false } } }
    // Some hold sessions, which are applied in their order.
    let sessions =
      number % 11 == 0 ? [SessionUpdate(id: "s\(number)", outcome: .healthy, started: Fixture.now)] : []
    return Fixture.record(
      Fixture.report(
        measurements, sessions: sessions, model: "iPhone\(number % 400),1", version: "4.\(number % 3).0"),
      app: AppID(1 + number % 3))
  }

  @Test("records of many cells are each applied once, in flushes of any size", arguments: [2_000_000, 30_000])
  func deferred(work: Int) throws {
    let records = (0..<3_000).map(Self.record)
    let (journal, store) = (MemoryJournal(), MemoryStore())
    for start in stride(from: 0, to: records.count, by: 250) {
      journal.add(Fixture.batch(Array(records[start..<start + 250]), first: Int64(start + 1)))
    }
    var configuration = DigestLoop.Configuration()
    configuration.flushWork = work
    let loop = DigestLoop(journal: journal, store: store, configuration: configuration) { Issue.record($0) }
    try loop.start()
    loop.stop()
    let whole = Fixture.digest(records)
    #expect(store.applied.sums == [whole].sums)
    #expect(store.applied.tallies == [whole].tallies)
    #expect(Set(store.applied.flatMap(\.sessions).map(\.id)) == Set(whole.sessions.map(\.id)))
    #expect(try store.position(of: Fixture.node) == DigestPosition(through: 3_000))
  }

  @Test("a damaged record is also counted if its cell is one of many")
  func damaged() throws {
    var records = (0..<1_000).map(Self.record)
    for number in stride(from: 500, to: 1_000, by: 50) { records[number].removeLast(3) }
    let (journal, store) = (MemoryJournal(), MemoryStore())
    journal.add(Fixture.batch(records))
    let loop = DigestLoop(journal: journal, store: store) { Issue.record($0) }
    try loop.start()
    loop.stop()
    #expect(store.applied.tallies == [Fixture.digest(records)].tallies)
    #expect(store.applied.sums == [Fixture.digest(records)].sums)
  }
}
