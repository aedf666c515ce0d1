import GRDB
import LabelledCauses
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

/// Diagnostics of one batch that share a signature.
@Suite("Shared signatures")
struct SharedSignatureTests {
  private static let set = LabelledSet(causes: 12, variants: 60, seed: 9)

  private static func digested(_ reports: [Report]) throws -> [DiagnosticRecord] {
    var writer = ByteWriter()
    for report in reports { writer.blob(Scene.record(report)) }
    var aggregator = RecordAggregator()
    aggregator.digest(JournalBatch(first: 1, count: reports.count, records: writer.bytes))
    let taken = aggregator.take(node: Scene.node)
    return try #require(taken).diagnostics
  }

  private static func digested() throws -> [DiagnosticRecord] {
    try digested(set.samples.enumerated().map { Scene.report($1, number: $0) })
  }

  @Test("equal signatures share an object and are those of each diagnostic alone")
  func sharing() throws {
    let records = try Self.digested()
    let shared = DiagnosticSignature.signatures(of: records)
    #expect(shared.count == records.count)
    for (record, signature) in zip(records, shared) {
      let alone = DiagnosticSignature(record)
      #expect(signature.stack == alone.stack && signature.stack.cause.title == alone.stack.cause.title)
      #expect(signature.binaries == alone.binaries && signature.hang == alone.hang && signature.hash == alone.hash)
    }
    #expect(Set(shared.map(ObjectIdentifier.init)).count < records.count)
  }

  /// A crash of three frames, of which the middle one is given.
  private static func crash(_ offset: UInt64, identity: UInt64) -> Report {
    let calls = CallTree(
      binaries: [CallTree.Binary(name: "Shop", uuid: String(repeating: "A", count: 32))],
      frames: [10, offset, 30].enumerated().map { CallTree.Frame(caller: $0 - 1, binary: 0, offset: $1) },
      threads: [.init(range: 0..<3, isAttributed: true)])
    return Report(
      source: .metricKit, release: Release(version: "4", build: "1"),
      device: Device(model: "iPhone15,2", system: OperatingSystem(parsing: "iOS 18.0")),
      diagnostics: [
        Diagnostic(
          kind: .crash, time: .day(Scene.today), identity: identity, exception: ExceptionDetails(type: 1), calls: calls,
          body: PackedJSON([]))
      ])
  }

  @Test("stacks that differ only between their first and last frame do not share a signature")
  func middle() throws {
    let records = try Self.digested([
      Self.crash(20, identity: 1), Self.crash(20, identity: 2), Self.crash(21, identity: 3),
    ])
    let signatures = DiagnosticSignature.signatures(of: records)
    #expect(signatures[0] === signatures[1])
    #expect(signatures[1].hash != signatures[2].hash)
  }

  @Test("each binary is counted once for each diagnostic of a build")
  func binaries() throws {
    let scene = try Scene()
    try scene.apply(Self.set)
    var expected: [String: Int] = [:]
    for (sample, record) in zip(Self.set.samples, try Self.digested()) {
      for name in Set(DiagnosticSignature(record).binaries.map { "\($0.name) \($0.uuid)" }) {
        expected["4.\(sample.build).0 \(name)", default: 0] += 1
      }
    }
    let found = try DatabaseQueue(path: scene.path("plumb.db")).read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT release.version || ' ' || image.name || ' ' || image.uuid, sum(seen) FROM image
          JOIN release ON release.id = image.release GROUP BY 1
          """
      ).map { ($0[0] as String, $0[1] as Int) }
    }
    #expect(Dictionary(uniqueKeysWithValues: found) == expected)
  }
}
