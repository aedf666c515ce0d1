import Foundation
import GRDB
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The journal of a standby")
struct StandbyJournalTests {
  private let folder: TemporaryFolder
  private let primary: SQLiteJournal
  private let standby: SQLiteJournal
  private let excerpts: ReplicationReader
  private let node = NodeID("0123456789abcdef")

  init() throws {
    folder = try TemporaryFolder()
    primary = try SQLiteJournal(path: folder.path + "/primary.db") { _ in 0 }
    standby = try SQLiteJournal(path: folder.path + "/standby.db") { _ in 0 }
    standby.becomeStandby(of: "https://a.example")
    excerpts = try ReplicationReader(path: folder.path + "/primary.db")
  }

  private func request(_ value: UInt8, key: UInt64? = nil) -> PendingRecords {
    PendingRecords(
      app: 1, bytes: [1, value], count: 1, receipt: key.map { Receipt(key: $0, content: 1) },
      received: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
  }

  private func relay(_ requests: [PendingRecords], after: Int64, through: Int64, to journal: SQLiteJournal) throws {
    _ = try journal.take(
      requests, of: node, named: "one", after: after, through: through, at: Timestamp(milliseconds: 1))
  }

  /// Reads and follows once. Returns whether the end is reached.
  private func follow(limit: Int = 1 << 20) throws -> Bool {
    let (last, check) = try standby.followPosition()
    guard case .excerpt(let excerpt) = try excerpts.read(after: last, check: check, limit: limit) else {
      throw StoreError.damaged("no excerpt")
    }
    _ = try standby.follow(excerpt)
    return excerpt.end != nil
  }

  private func rows(_ journal: SQLiteJournal, _ sql: String) throws -> [String] {
    try journal.reader.read { try Row.fetchAll($0, sql: sql).map(\.description) }
  }

  @Test("the journal of a standby has the rows of its primary, whatever the size of the excerpts")
  func equal() throws {
    for round in 0..<5 as Range<UInt8> {
      _ = try primary.append([request(round, key: UInt64(round)), request(100 + round)])
      try relay(
        [request(50 + round, key: 90 + UInt64(round))], after: Int64(round), through: Int64(round) + 1, to: primary)
    }
    while try !follow(limit: 1) {}
    for sql in [
      "SELECT through, first, count, received, hex(records), dictionary, node, node_position FROM batch",
      "SELECT * FROM receipt ORDER BY app, key", "SELECT * FROM ingest_node",
      "SELECT seq FROM sqlite_sequence WHERE name = 'batch'",
    ] {
      let own = try rows(standby, sql)
      #expect(try own == rows(primary, sql) && !own.isEmpty)
    }
    #expect(throws: StandbyIsReadOnly.self) { try standby.append([request(1)]) }
  }

  @Test("after any part of the records, the standby has the position of a node that belongs to them")
  func positions() throws {
    for round in 0..<6 as Range<Int64> {
      try relay([request(UInt8(round))], after: round * 10, through: round * 10 + 10, to: primary)
    }
    for round in 1...6 as ClosedRange<Int64> {
      #expect(try follow(limit: 1) == (round == 6))
      #expect(try standby.ingestNodes().map(\.position) == [round * 10])
      #expect(try standby.lastSequence() == round)
    }
    // A repeated delivery is recognized after a promotion.
    try standby.begin(epoch: 1, by: "a1", replacing: "https://a.example", at: Timestamp(milliseconds: 1))
    let promoted = try SQLiteJournal(path: folder.path + "/standby.db") { _ in 0 }
    let outcome = try promoted.take(
      [request(9)], of: node, named: "one", after: 50, through: 60, at: Timestamp(milliseconds: 1))
    guard case .elsewhere(60) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try promoted.epoch() == Epoch(number: 1, promotion: "a1", previous: "https://a.example"))
    #expect(try promoted.peers() == ["https://a.example"])
  }

  @Test(
    "a promoted standby asks for all records of a node that only the lost primary knew, and of no other unknown node")
  func unknownNodes() throws {
    try standby.begin(epoch: 1, by: "a1", replacing: "https://a.example", at: Timestamp(milliseconds: 1))
    let promoted = try SQLiteJournal(path: folder.path + "/standby.db") { _ in 0 }
    func take(after: Int64, acknowledged: Int64) throws -> RelayOutcome {
      try promoted.take(
        [request(UInt8(after))], of: node, named: "one", after: after, through: after + 1,
        at: Timestamp(milliseconds: 1), acknowledged: acknowledged)
    }
    guard case .elsewhere(0) = try take(after: 33, acknowledged: 0) else {
      Issue.record("the 33 records that the old primary acknowledged are lost")
      return
    }
    guard case .taken(1, _, _, _) = try take(after: 0, acknowledged: 1) else {
      Issue.record("the node starts again")
      return
    }
    // A node that was forgotten here continues where it was.
    #expect(try promoted.forget(node))
    guard case .taken(34, _, _, _) = try take(after: 33, acknowledged: 1) else {
      Issue.record("records are counted twice")
      return
    }
  }

  @Test("a standby that lacks purged records, or has others than its primary, does not continue")
  func gaps() throws {
    for value in 0..<4 as Range<UInt8> { _ = try primary.append([request(value)]) }
    #expect(try follow(limit: 1) == false)
    let (last, check) = try standby.followPosition()
    #expect(last == 1 && check != nil)
    #expect(try excerpts.read(after: 1, check: 5, limit: 1) == .diverged)
    #expect(try excerpts.read(after: 5, check: nil, limit: 1) == .diverged)
    try primary.purge(through: 3, olderThan: Timestamp(milliseconds: .max), keepingAtMost: .max)
    #expect(try excerpts.read(after: 1, check: check, limit: 1) == .purged)
    #expect(try excerpts.read(after: 3, check: nil, limit: 1) != .purged)
    try primary.purge(through: 4, olderThan: Timestamp(milliseconds: .max), keepingAtMost: .max)
    #expect(try excerpts.read(after: 3, check: nil, limit: 1) == .purged)
    #expect(
      try excerpts.read(after: 4, check: nil, limit: 1)
        == .excerpt(JournalExcerpt(end: JournalExcerpt.End(last: 4, nodes: []))))
  }

  @Test("a superseded primary accepts no record, also after a restart, and only a newer epoch supersedes it")
  func fenced() throws {
    let newer = Epoch.Successor(number: 1, address: "https://b.example")
    #expect(try primary.supersede(by: newer))
    #expect(try !primary.supersede(by: newer))
    #expect(throws: SupersededPrimary(newer)) { try primary.append([request(1)]) }
    #expect(throws: SupersededPrimary(newer)) { try relay([request(1)], after: 0, through: 1, to: primary) }
    let again = try SQLiteJournal(path: folder.path + "/primary.db") { _ in 0 }
    #expect(throws: SupersededPrimary(newer)) { try again.append([request(1)]) }
    #expect(try again.epoch() == Epoch(number: 0, successor: newer))
  }
}
