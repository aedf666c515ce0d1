@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage

/// Payloads, journals' batches of them, and what digesting gives.
enum Fixture {
  /// 2026-11-20T10:02:30Z
  static let now = Timestamp(milliseconds: 1_795_168_950_000)
  static let today = CalendarDay(number: 20_777)
  static let node = NodeID("00000000000000aa")

  @Sendable static func hash(_ text: String, _ scope: String) -> UInt64 {
    (scope + "/" + text).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  static func report(
    _ measurements: [Measurement] = [], sessions: [SessionUpdate] = [], source: Source = .metricKit,
    model: String = "iPhone15,2",
    version: String = "4.2.0"
  ) -> Report {
    Report(
      source: source, release: Release(version: version, build: "1"),
      device: Device(model: model, system: OperatingSystem(name: "iOS", version: "17.4.1")), measurements: measurements,
      sessions: sessions)
  }

  static func record(
    _ report: Report, app: AppID = 1, received: Timestamp = now, clock: TimeZoneOffsets = .utc
  ) -> [UInt8] {
    let header = RecordHeader(app: app, received: received, clock: clock)
    return RecordWriter.encode(report, header, seal: Pseudonymizer(hash: hash))
  }

  static func tally(_ kind: TallyKind, _ reason: String, count: Int, app: AppID = 1) -> [UInt8] {
    RecordWriter.encode(
      TallyRecord(kind: kind.rawValue, reason: reason, detail: "path", count: count),
      RecordHeader(app: app, received: now))
  }

  static func batch(_ records: [[UInt8]], first: Int64 = 1) -> JournalBatch {
    var writer = ByteWriter()
    for record in records { writer.blob(record) }
    return JournalBatch(first: first, count: records.count, records: writer.bytes)
  }

  static func digest(_ records: [[UInt8]]) -> DigestedBatch {
    var aggregator = RecordAggregator()
    aggregator.digest(batch(records))
    return aggregator.take(node: node) ?? DigestedBatch(node: node, from: 0, through: 0)
  }
}

/// What a series of one or several batches adds up to, however they were cut.
struct SeriesName: Hashable {
  var cell: CellKey
  var bin: TimeBin
  var metric: MetricReference
  var label: String
}

extension [DigestedBatch] {
  var sums: [SeriesName: Aggregate] {
    var sums: [SeriesName: Aggregate] = [:]
    for cell in flatMap(\.cells) {
      for series in cell.series.deltas {
        let name = SeriesName(cell: cell.key, bin: cell.bin, metric: series.metric, label: series.label)
        if var sum = sums[name] {
          sum.merge(series.aggregate)
          sums[name] = sum
        } else {
          sums[name] = series.aggregate
        }
      }
    }
    return sums
  }

  var tallies: [String: Int] {
    reduce(into: [:]) { sums, batch in
      for tally in batch.tallies { sums["\(tally.app) \(tally.kind.name) \(tally.reason)", default: 0] += tally.count }
    }
  }
}

extension DigestedBatch {
  /// The one aggregate of a metric, all bins together.
  func total(_ metric: UInt16, label: String = "") -> Aggregate? {
    total(.known(metric), label: label)
  }

  func total(_ metric: MetricReference, label: String = "") -> Aggregate? {
    let parts = cells.flatMap(\.series.deltas).filter { $0.metric == metric && $0.label == label }.map(\.aggregate)
    guard var sum = parts.first else { return nil }
    for part in parts.dropFirst() { sum.merge(part) }
    return sum
  }

  func pair(_ metric: UInt16) -> RatioMoments? {
    if case .pair(let pair) = total(metric) { pair } else { nil }
  }

  func histogram(_ metric: UInt16, label: String = "") -> Histogram? {
    if case .distribution(let histogram) = total(metric, label: label) { histogram } else { nil }
  }

  func counter(_ metric: UInt16) -> CounterSum? {
    if case .counter(let counter) = total(metric) { counter } else { nil }
  }
}

extension Timestamp {
  func minutesEarlier(_ minutes: Int) -> Timestamp { Timestamp(milliseconds: milliseconds - Int64(minutes) * 60_000) }
}
