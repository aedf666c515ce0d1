import Testing

@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage

struct BatchingTests {
  /// Sixty payloads of every kind: days and instants, labels, spans and samples, sessions, tallies, two apps.
  private static let records: [[UInt8]] = (0..<60).map { index in
    if index % 10 == 9 { return Fixture.tally(.rejected, "syntax", count: index) }
    let day = MeasurementTime.day(Fixture.today - index % 4)
    let instant = MeasurementTime.instant(Fixture.now.minutesEarlier(index * 7))
    let measurements = [
      Measurement(.known(100), at: day, .spans([Span(low: Double(index), high: Double(index + 50), count: index + 1)])),
      Measurement(.known(400), at: day, .samples([Double(index * 1_000_000)])),
      Measurement(.known(610), at: day, .counter(Double(index * 10))),
      Measurement(.known(205), label: "Screen \(index % 3)", at: instant, .samples([Double(index), 16.67])),
      Measurement(
        .custom(name: "cart.items", unit: .count, kind: .distribution), at: instant, .samples([Double(index)])),
    ]
    let session = SessionUpdate(
      id: "s\(index % 20)", outcome: .healthy, started: Fixture.now.minutesEarlier(index), user: "u\(index % 5)")
    return Fixture.record(
      Fixture.report(
        measurements, sessions: [session], source: index % 2 == 0 ? .metricKit : .native, model: "iPhone1\(index % 3),1"
      ),
      app: AppID(1 + index % 2))
  }

  @Test("equal records in batches of any size give equal sums", arguments: [1, 2, 7, 13, 59])
  func anyBatching(size: Int) {
    let whole = [Fixture.digest(Self.records)]
    let parts = stride(from: 0, to: Self.records.count, by: size).map {
      Fixture.digest(Array(Self.records[$0..<min($0 + size, Self.records.count)]))
    }
    #expect(parts.sums == whole.sums)
    #expect(parts.tallies == whole.tallies)
    #expect(parts.flatMap(\.sessions) == whole[0].sessions)
  }

  @Test("a report's lateness counts from its newest day, in whatever order its days are")
  func lateness() {
    func tallies(_ ages: [Int]) -> [IntakeTally] {
      let measurements = ages.map { Measurement(.known(400), at: .day(Fixture.today - $0), .samples([5])) }
      return Fixture.digest([Fixture.record(Fixture.report(measurements))]).tallies
    }
    let newest = tallies([1])
    #expect(!newest.isEmpty && newest != tallies([9]))
    #expect(tallies([1, 4, 9]) == newest)
    #expect(tallies([9, 1, 4]) == newest)
  }

  @Test("consecutive batches that are digested and taken once are one contiguous range")
  func takesOneRange() throws {
    var aggregator = RecordAggregator()
    var next: Int64 = 41
    for start in stride(from: 0, to: 60, by: 20) {
      let batch = Fixture.batch(Array(Self.records[start..<start + 20]), first: next)
      aggregator.digest(batch)
      next = batch.through + 1
    }
    let batch = aggregator.take(node: Fixture.node)
    let taken = try #require(batch)
    #expect(taken.from == 41)
    #expect(taken.through == 100)
    #expect([taken].sums == [Fixture.digest(Self.records)].sums)
    #expect(aggregator.isEmpty)
    let nothing = aggregator.take(node: Fixture.node)
    #expect(nothing == nil)
  }

  @Test("payloads merged in reverse give the same sums")
  func anyOrder() {
    #expect([Fixture.digest(Self.records.reversed())].sums == [Fixture.digest(Self.records)].sums)
  }

  @Test("a damaged record is counted, and the records around it are kept")
  func damagedRecord() {
    var damaged = Self.records[1]
    damaged.removeLast(4)
    let batch = Fixture.digest([Self.records[0], damaged, Self.records[2]])
    #expect([batch].tallies["2 quarantined damaged record"] == 1)
    #expect(batch.sessions.filter { $0.key.app == 1 }.count == 2)
    #expect(batch.through == 3)
  }
}
