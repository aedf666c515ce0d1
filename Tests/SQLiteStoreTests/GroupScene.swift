import class Foundation.FileManager
import struct Foundation.URL
import struct Foundation.UUID
import GRDB
import LabelledCauses
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

/// A store in a temporary folder, filled with journal records the way the server fills it.
final class GroupScene {
  static let today = CalendarDay(number: 20_777)
  let folder: URL
  let store: SQLiteStore
  let samples: SQLiteDiagnosticBodies
  private var next: Int64 = 1

  init(limits: SampleLimits = SampleLimits()) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("groups-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    samples = try SQLiteDiagnosticBodies(path: folder.appendingPathComponent("samples.db").path, limits: limits)
    store = try SQLiteStore(path: folder.appendingPathComponent("plumb.db").path, samples: samples)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func apply(_ reports: [Report]) throws {
    let seal = Pseudonymizer(
      hash: { Fingerprint.hash(of: [$1, $0]) }, compress: { Compression.compress(zstd: $0) })
    var writer = ByteWriter()
    for (index, report) in reports.enumerated() {
      let received = Timestamp(milliseconds: Self.today.startUTC.milliseconds + Int64(index) * 1000)
      writer.blob(RecordWriter.encode(report, RecordHeader(app: 1, received: received), seal: seal))
    }
    var aggregator = RecordAggregator()
    aggregator.digest(JournalBatch(first: next, count: reports.count, records: writer.bytes))
    guard let batch = aggregator.take(node: NodeID("00000000000000aa")) else { return }
    try store.apply(batch)
    next = batch.through + 1
  }

  func apply(_ set: LabelledSet) throws {
    try apply(set.samples.enumerated().map { Self.report($1, number: $0) })
  }

  static func report(_ sample: LabelledSet.Sample, number: Int, session: String? = nil) -> Report {
    let diagnostic = Diagnostic(
      kind: sample.kind, time: .day(today - number % 20), identity: UInt64(number + 1), exception: sample.exception,
      session: session, calls: sample.calls, body: Array("{\"number\":\(number)}".utf8))
    return Report(
      source: .metricKit, release: Release(version: "4.\(sample.build).0", build: "\(1200 + sample.build)"),
      device: Device(model: sample.model, system: OperatingSystem(parsing: sample.system)), diagnostics: [diagnostic])
  }

  /// Diagnostics of each group, by fingerprint.
  func counts() throws -> [UInt64: Int] {
    let query = GroupQuery(app: 1, slice: Slice(), window: Window(days: 40, endingOn: Self.today))
    return Dictionary(uniqueKeysWithValues: try store.groups(query).map { ($0.group.fingerprint, $0.diagnostics) })
  }

  /// No group that became part of another leads to one without diagnostics, and no way goes round in circles.
  func expectEndsWithSignatures() throws {
    let file = try DatabaseQueue(path: folder.appendingPathComponent("plumb.db").path)
    let (ways, live) = try file.read { database in
      let ways = try Row.fetchAll(database, sql: "SELECT id, successor FROM diagnostic_group").map { row in
        (row[0] as Int64, row[1] as Int64?)
      }
      return (ways, try Set(Int64.fetchAll(database, sql: "SELECT DISTINCT member FROM signature")))
    }
    let next = Dictionary(uniqueKeysWithValues: ways)
    for start in next.keys {
      var seen: Set<Int64> = [start]
      var end = start
      while let step = next[end] ?? nil {
        guard seen.insert(step).inserted else {
          Issue.record("a circle at \(start)")
          break
        }
        end = step
      }
      #expect(live.contains(end))
    }
  }

  /// What the pure rules say of all samples at once.
  static func expected(_ set: LabelledSet, _ symbols: [String: [UInt64: [CallTree.Symbol]]]) -> [UInt64: Int] {
    var counts: [UInt64: (fingerprint: Fingerprint, count: Int)] = [:]
    for sample in set.samples {
      let made = Grouper().fingerprint(
        of: NormalizedStack(sample.kind, sample.exception, sample.calls), symbols: symbols)
      counts[made.hash, default: (made, 0)].count += 1
    }
    let homes = TruncatedStacks.homes(of: Array(counts.values))
    return counts.values.reduce(into: [:]) { found, made in
      found[homes[made.fingerprint.hash] ?? made.fingerprint.hash, default: 0] += made.count
    }
  }
}
