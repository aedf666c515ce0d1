import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Core
@testable import Ingest
@testable import Storage

struct IntakeTests {
  private static let received = Timestamp(milliseconds: 1_795_168_800_000)
  private static let body =
    #"{"app": {"bundle_id": "com.example.shop", "version": "4.2.0"}, "device": {"model": "iPhone15,2", "os": "iOS 17.4.1"}, "#
    + #""measurements": [{"metric": "screen.load", "value": 420, "unit": "ms", "at": "2026-11-20T09:59:00Z"}]}"#

  /// An intake before a journal in memory.
  private final class Scene {
    let journal: BlockingJournal
    let intake: Intake
    let writer: JournalWriter
    let heard = Heard()
    private let decoder = PayloadDecoder()
    private var next = 0

    init(_ journal: BlockingJournal = BlockingJournal()) {
      self.journal = journal
      let tallies = OutcomeCounter { IntakeTests.received }
      writer = JournalWriter(journal: journal, counts: tallies.drain, committed: { _ in })
      intake = Intake(
        seal: Pseudonymizer(
          hash: { text, scope in (scope + text).utf8.reduce(7) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }),
        context: { DecodingContext(received: $0.received) }, writer: writer,
        tallies: tallies)
      writer.start()
    }

    /// What the last body was taken for.
    private(set) var rows = 0

    func send(_ body: String, key: String? = nil, app: AppID = 1) throws {
      let bytes = Array(body.utf8)
      let completion = heard.completion(next)
      next += 1
      try bytes.withUnsafeBytes { buffer in
        try intake.receive(
          buffer, Submission(app: app, received: IntakeTests.received, idempotencyKey: key), decoder: decoder,
          weighed: { rows = $0 }, completion: { completion($0.map { $0.outcome ?? .accepted(through: 0) }) })
      }
    }

    /// Tallies in the journal by kind and reason, and how many records hold each.
    func tallies() throws -> [String: (count: Int, records: Int)] {
      var found: [String: (count: Int, records: Int)] = [:]
      for request in journal.transactions.flatMap({ $0 }) {
        for record in try IntakeTests.records(in: request) {
          guard case .tally(let tally) = record else { continue }
          let name = "\(TallyKind(rawValue: tally.kind)?.name ?? "?") \(tally.reason)"
          found[name, default: (0, 0)].count += tally.count
          found[name, default: (0, 0)].records += 1
        }
      }
      return found
    }
  }

  @Test("a report counts as 1 row, a session 2, a diagnostic 20, ten measurements 1")
  func rows() throws {
    let scene = Scene()
    func weight(sessions: Int = 0, crashes: Int = 0, measurements: Int = 0) throws -> Int {
      func list(_ count: Int, _ text: String) -> String { Array(repeating: text, count: count).joined(separator: ",") }
      try scene.send(
        #"{"app": {}, "sessions": [\#(list(sessions, #"{"status": "ok"}"#))], "crashes": [\#(list(crashes, "{}"))], "#
          + #""measurements": [\#(list(measurements, #"{"metric": "screen.load", "value": 1}"#))]}"#)
      return scene.rows
    }
    #expect(try weight(measurements: 1) == 2)
    #expect(try weight(measurements: 20) == 3)
    #expect(try weight(sessions: 3, measurements: 1) == 8)
    #expect(try weight(sessions: 1, crashes: 2) == 43)
  }

  private enum Content {
    case report(measurements: Int)
    case tally(TallyRecord)
  }

  private static func records(in request: PendingRecords) throws -> [Content] {
    try request.bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      var found: [Content] = []
      for _ in 0..<request.count {
        switch try RecordReader(try reader.slice()).content {
        case .report(let report): found.append(.report(measurements: report.measurementsLeft))
        case .tally(_, let tally): found.append(.tally(tally))
        }
      }
      #expect(reader.isAtEnd)
      return found
    }
  }

  @Test("a body of three documents is one request of three records")
  func documents() throws {
    let scene = Scene()
    try scene.send("[\(Self.body), \(Self.body), \(Self.body)]")
    scene.writer.stop()
    #expect(scene.heard.outcome(0) == .accepted(through: 3))
    let request = try #require(scene.journal.transactions.first?.first)
    #expect(try Self.records(in: request).count == 3)
  }

  @Test("a body that cannot be read throws, is counted with its key path, and leaves no record")
  func rejected() throws {
    let scene = Scene()
    #expect(throws: DecodingFailure.self) { try scene.send("[\(Self.body), {\"app\": 7}]") }
    #expect(throws: DecodingFailure.self) { try scene.send("{") }
    scene.writer.stop()
    #expect(scene.heard.count == 0)
    let tallies = try scene.tallies()
    #expect(tallies.values.reduce(0) { $0 + $1.count } == 2)
    #expect(tallies["rejected syntax"]?.count == 1)
    #expect(try scene.journal.transactions.flatMap { $0 }.flatMap(Self.records).count == tallies.count)
  }

  @Test("a repeated idempotency key is answered as a duplicate and counted, but not stored")
  func idempotency() throws {
    let scene = Scene()
    try scene.send(Self.body, key: "a")
    try scene.send(Self.body, key: "a")
    try scene.send(Self.body, key: "b")
    // Keys of another app are its own.
    try scene.send(Self.body, key: "a", app: 2)
    scene.writer.stop()
    #expect(
      (0..<4).map(scene.heard.outcome) == [
        .accepted(through: 1), .duplicate(isReused: false), .accepted(through: 2), .accepted(through: 3),
      ])
    #expect(try scene.tallies()["duplicate idempotency key"]?.count == 1)
  }

  @Test("equal bodies without a key are both stored, and counted as suspected duplicates per app")
  func equalBodies() throws {
    let scene = Scene()
    for _ in 0..<3 { try scene.send(Self.body) }
    try scene.send(Self.body, app: 2)
    scene.writer.stop()
    #expect((0..<4).compactMap(scene.heard.outcome).count == 4)
    #expect(try scene.tallies()["suspected_duplicate equal body"]?.count == 2)
  }

  /// However long the machine takes: there are as many records as seconds passed, and one of the stop.
  @Test("a flood of bad requests becomes at most one record per second, and none is lost at the stop")
  func flood() throws {
    let start = ContinuousClock.now
    let scene = Scene()
    let sent = 20_000
    for _ in 0..<sent {
      try? scene.send("{")
      scene.intake.countRefusal(app: 1, client: "", reason: "rate")
    }
    scene.writer.stop()
    let seconds = Int(start.duration(to: .now).components.seconds)
    let tallies = try scene.tallies()
    #expect(tallies["rejected syntax"]?.count == sent)
    #expect(tallies["limited rate"]?.count == sent)
    #expect((1...seconds + 1).contains(tallies["rejected syntax"]?.records ?? 0))
  }

  @Test("nothing is written for an app whose settings cannot be read, and the sender is informed")
  func unknownSettings() throws {
    let journal = BlockingJournal()
    let tallies = OutcomeCounter { Self.received }
    let writer = JournalWriter(journal: journal, counts: tallies.drain, committed: { _ in })
    let intake = Intake(
      seal: Pseudonymizer(hash: { _, _ in 1 }), context: { _ in nil }, writer: writer,
      tallies: tallies)
    writer.start()
    let failures = Mutex(0)
    try Array(Self.body.utf8).withUnsafeBytes { buffer in
      try intake.receive(
        buffer, Submission(app: 1, received: Self.received), decoder: PayloadDecoder(),
        completion: { result in if case .failure = result { failures.withLock { $0 += 1 } } })
    }
    writer.stop()
    #expect(failures.withLock { $0 } == 1)
    #expect(journal.transactions.isEmpty)
  }

  @Test("clients that send another name each time are finally counted together")
  func manyClients() throws {
    let scene = Scene()
    for number in 0..<20_000 { scene.intake.countRefusal(app: 1, client: "c\(number)", reason: "rate") }
    scene.writer.stop()
    let tallies = try scene.tallies()
    #expect(tallies["limited rate"]?.count == 20_000)
    #expect((tallies["limited rate"]?.records ?? .max) <= 2 * 1001)
  }

  @Test("a duplicate that only the last transaction finds is also counted")
  func duplicateAtStop() throws {
    let scene = Scene(BlockingJournal(isBlocking: true))
    try scene.send(Self.body, key: "a")
    #expect(scene.journal.waitUntilBlocked())
    try scene.send(Self.body, key: "a")
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { [journal = scene.journal] in journal.release() }
    scene.writer.stop()
    #expect(scene.heard.outcome(1) == .duplicate(isReused: false))
    #expect(try scene.tallies()["duplicate idempotency key"]?.count == 1)
  }

  @Test("the counts of refusals since the start only grow, in bounded memory for any number of reasons")
  func sinceStart() {
    let tallies = OutcomeCounter { Self.received }
    for number in 0..<12_000 { tallies.count(.rejected, app: 1, client: "c\(number)", reason: "r\(number)") }
    for _ in 0..<3 { tallies.count(.limited, app: 2, client: "c", reason: "rate", by: 2) }
    _ = tallies.drain()
    tallies.count(.rejected, app: 1, client: "c", reason: "r1")
    tallies.count(.rejected, app: 1, client: "c", reason: "r1", by: .max)
    let totals = tallies.sinceStart
    #expect(totals.count == 10_002)
    func total(_ app: AppID, _ reason: String) -> Int? {
      totals.first { $0.key.app == app && $0.key.reason == reason }?.value
    }
    #expect(total(1, "r0") == 1 && total(1, "r1") == .max && total(1, "(other)") == 2_000)
    #expect(total(2, "rate") == nil && total(2, "(other)") == 6)
  }
}
