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

  /// Metrics with and without names of their own and labels, of which each cell has others.
  private static func labelled(_ number: Int, labels: Range<Int>) -> [UInt8] {
    let day = MeasurementTime.day(Fixture.today - 1)
    let labelled = labels.map {
      Measurement(.known(205), label: "Screen \($0)", at: day, .samples([Double(1 + $0 % 90)]))
    }
    let own = MetricReference.custom(name: "cart.\(number % 4)", unit: .count, kind: .distribution)
    return Fixture.record(
      Fixture.report(
        labelled + [
          Measurement(own, at: day, .samples([Double(number)])), Measurement(.known(610), at: day, .counter(2)),
          Measurement(.known(100 + UInt16(number % 2)), at: day, .samples([Double(number), 3])),
        ], model: "iPhone\(number),1"), app: AppID(1 + number % 2))
  }

  @Test("bins that were emptied and used again give the same changes as new ones")
  func reused() {
    let rounds = [0..<3, 0..<300, 200..<390, 0..<0, 1_000..<3_100, 0..<2_000, 5..<9]
    var aggregator = RecordAggregator()
    for (turn, labels) in rounds.enumerated() {
      let batch = Fixture.batch((0..<5).map { Self.labelled($0 + turn, labels: labels) })
      aggregator.digest(batch)
      let changes = aggregator.take(node: Fixture.node, from: 1, through: 5, isLent: true)
      var fresh = RecordAggregator()
      fresh.digest(batch)
      let expected = fresh.take(node: Fixture.node, from: 1, through: 5)
      #expect([changes].sums == [expected].sums)
      #expect([changes].tallies == [expected].tallies)
      #expect(changes.cells.map(\.series.count) == expected.cells.map(\.series.count))
      #expect(changes.cells.allSatisfy { $0.series.count == $0.series.deltas.count })
      aggregator.reuse(changes)
    }
  }
}
