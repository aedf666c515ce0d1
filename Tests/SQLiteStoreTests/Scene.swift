import TestSupport

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// A folder of its own with a store in it, removed at the end of the test.
final class Scene {
  /// 2026-11-20T10:02:30Z
  static let now = Timestamp(milliseconds: 1_795_168_950_000)
  static let today = CalendarDay(number: 20_777)
  static let node = NodeID("00000000000000aa")

  private let folder: TemporaryFolder
  let store: SQLiteStore
  private(set) var next: Int64 = 1

  /// `samples`: the store keeps bodies of diagnostics, within these limits.
  init(limits: StoreLimits = StoreLimits(), samples: SampleLimits? = nil) throws {
    let folder = try TemporaryFolder("store")
    let bodies = try samples.map { try SQLiteSampleStore(path: folder.path + "/samples.db", limits: $0) }
    store = try SQLiteStore(path: folder.path + "/plumb.db", samples: bodies, limits: limits)
    self.folder = folder
  }

  func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// Applies what a digest made of reports that came a second apart.
  func apply(_ reports: [Report]) throws {
    try apply(
      reports.enumerated().map { index, report in
        Self.record(report, received: Timestamp(milliseconds: Self.today.startUTC.milliseconds + Int64(index) * 1000))
      })
  }

  /// Applies what a digest made of `records`, right behind what was applied before. `other`: another store on the same
  /// file, as in another process.
  func apply(_ records: [[UInt8]], to other: SQLiteStore? = nil) throws {
    var writer = ByteWriter()
    for record in records { writer.blob(record) }
    var aggregator = RecordAggregator()
    aggregator.digest(JournalBatch(first: next, count: records.count, records: writer.bytes))
    guard let batch = aggregator.take(node: Self.node) else { return }
    try (other ?? store).apply(batch)
    next = batch.through + 1
  }

  /// Applies updates of sessions as one batch.
  func apply(sessions: [SessionRecord]) throws {
    try store.apply(DigestedBatch(node: Self.node, from: next, through: next, sessions: sessions))
    next += 1
  }

  /// Applies counts as one batch.
  func apply(tallies: [IntakeTally]) throws {
    try store.apply(DigestedBatch(node: Self.node, from: next, through: next, tallies: tallies))
    next += 1
  }

  static func record(_ report: Report, app: AppID = 1, received: Timestamp = now) -> [UInt8] {
    let seal = Pseudonymizer(
      hash: { text, scope in
        (scope + "/" + text).utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      })
    return RecordWriter.encode(report, RecordHeader(app: app, received: received), seal: seal)
  }

  static func report(
    _ measurements: [Measurement], environment: String = "production", version: String = "4.2.0", build: String = "",
    os: String = "17.4.1", model: String = "iPhone15,2", source: Source = .native
  ) -> Report {
    Report(
      source: source, environment: environment, release: Release(version: version, build: build),
      device: Device(model: model, system: OperatingSystem(name: "iOS", version: os)), measurements: measurements)
  }

  func rows(
    _ slice: Slice = Slice(), _ window: Window = Window(days: 28, endingOn: today), metrics: [String]? = nil,
    dimension: Dimension? = nil, attribute: String = "experiment", byLabel: Bool = false, app: AppID = 1
  ) throws -> [MetricRow] {
    var query = RowQuery(
      app: app, slice: slice, window: window, metrics: metrics, dimension: dimension, byLabel: byLabel)
    query.attribute = attribute
    return try store.rows(query)
  }
}

extension Array where Element == MetricRow {
  /// Values counted in all rows.
  var samples: Int {
    reduce(0) { sum, row in if case .distribution(let histogram) = row.aggregate { sum + histogram.count } else { sum }
    }
  }

  /// The sum over all rows in the stored steps.
  var steps: Int64 {
    reduce(0) { sum, row in
      switch row.aggregate {
      case .distribution(let histogram): sum + histogram.sum
      case .counter(let counter): sum + counter.steps
      default: sum
      }
    }
  }

  /// Sessions of all rows.
  var sessions: SessionTally {
    reduce(into: SessionTally()) { sum, row in
      if case .sessions(let tally) = row.aggregate { sum.merge(tally) }
    }
  }
}
