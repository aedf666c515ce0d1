import Core
import Ingest
import Storage

extension HotLoop {
  /// Turns reports into the bytes of records, and those bytes into values.
  static let records = [
    HotLoop(name: "record-write", turns: 200) {
      let reports = try FixedBodies.reports("metrickit.json") + FixedBodies.reports("native.json")
      return { _ in
        var records = LengthDelimitedRecords(reservingRecords: reports.count)
        for report in reports { records.append(report, FixedBodies.header(), seal: FixedBodies.seal) }
        precondition(records.bytes().count > 500)
      }
    },
    HotLoop(name: "record-read", turns: 400) {
      let reports = try FixedBodies.reports("metrickit.json") + FixedBodies.reports("native.json")
      let records = reports.map { RecordWriter.encode($0, FixedBodies.header(), seal: FixedBodies.seal) }
      return { _ in
        for record in records { try record.withUnsafeBytes { try read(RecordReader($0)) } }
      }
    },
  ]

  private static func read(_ record: RecordReader) throws {
    guard case .report(var report) = record.content else { return }
    var values = 0
    while let head = try report.nextMeasurement() {
      if head.content == .spans {
        for _ in 0..<head.count { values += try report.nextSpan().count }
      } else {
        values += try report.value(of: head).partCount
      }
    }
    values += try report.sessions().count + report.diagnostics().count + report.losses().count
    _ = try report.remarks()
    precondition(values > 0)
  }

  /// Turns records into changes of the store: ten releases and six models of a day, with a payload and a session each.
  static let digest = HotLoop(name: "digest", turns: 4) {
    let batch = try FixedBodies.batch(days: 1, releases: 10, models: 6)
    return { _ in
      var aggregator = RecordAggregator()
      aggregator.digest(batch)
      precondition(aggregator.take(node: NodeID("hot-loops")) != nil)
    }
  }
}
