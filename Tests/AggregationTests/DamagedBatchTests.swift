import Testing

@testable import Core
@testable import Ingest
@testable import Storage

@Suite("Damaged batches, and the time of the last receipt")
struct DamagedBatchTests {
  @Test("records after a damaged length are counted one by one, and those before it are kept")
  func rest() {
    let report = Fixture.record(Fixture.report([Measurement(.known(100), at: .instant(Fixture.now), .samples([420]))]))
    var writer = ByteWriter()
    writer.blob(report)
    writer.varint(1 << 40)
    var aggregator = RecordAggregator()
    aggregator.digest(JournalBatch(first: 1, count: 5, records: writer.bytes))
    let batch = aggregator.take(node: Fixture.node) ?? Fixture.digest([])
    #expect(batch.through == 5)
    #expect(batch.tallies.filter { $0.reason == "damaged record" }.map(\.count) == [4])
    #expect(batch.tallies.filter { $0.kind == .accepted }.map(\.count) == [1])
  }

  @Test("a cell keeps its newest time of receipt, in whatever order payloads came")
  func newest() {
    func record(_ minutes: Int64) -> [UInt8] {
      let received = Timestamp(milliseconds: Fixture.now.milliseconds + minutes * 60_000)
      return Fixture.record(
        Fixture.report([Measurement(.known(100), at: .day(Fixture.today), .samples([420]))]), received: received)
    }
    for order in [[0, 90, 30], [90, 0, 30], [30, 0, 90]] as [[Int64]] {
      let batch = Fixture.digest(order.map(record))
      #expect(batch.cells.map(\.received.milliseconds) == [Fixture.now.milliseconds + 90 * 60_000])
    }
  }
}
