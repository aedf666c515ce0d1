import GRDB
import LabelledCauses
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

/// Groups of diagnostics whose causes are known.
extension Scene {
  func apply(_ set: LabelledSet) throws {
    try apply(set.samples.enumerated().map { Self.report($1, number: $0) })
  }

  static func report(_ sample: LabelledSet.Sample, number: Int, session: String? = nil) -> Report {
    let diagnostic = Diagnostic(
      kind: sample.kind, time: .day(today - number % 20), identity: UInt64(number + 1), exception: sample.exception,
      session: session, calls: sample.calls, body: PackedJSON(Array("{\"number\":\(number)}".utf8)))
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
    let file = try DatabaseQueue(path: path("plumb.db"))
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
