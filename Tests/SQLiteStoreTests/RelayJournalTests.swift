import Foundation
import GRDB
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("A relayed journal")
struct RelayJournalTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func journal(_ name: String, isOfNode: Bool = false) throws -> SQLiteJournal {
    try SQLiteJournal(path: folder.path + "/" + name, isOfNode: isOfNode) { _ in 0 }
  }

  private func request(_ bytes: [UInt8], _ count: Int, key: UInt64? = nil, app: AppID = 1) -> PendingRecords {
    PendingRecords(
      app: app, bytes: bytes, count: count, receipt: key.map { Receipt(key: $0, content: 1) },
      received: Timestamp(milliseconds: 1_000))
  }

  private func texts(_ parts: [RelayPart]) -> [String] {
    parts.map { part in
      switch part {
      case .missing(let count): "missing \(count)"
      case .records(let records):
        "\(records.count) \(records.bytes) \(records.receipt.map { "app \(records.app) key \($0.key)" } ?? "-")"
      }
    }
  }

  @Test("a relayed journal divides batches into their original requests, from any sequence")
  func parts() throws {
    let journal = try journal("node.db", isOfNode: true)
    _ = try journal.append([request([1, 9], 1), request([1, 8, 1, 7], 2), request([1, 6], 1, key: 5, app: 3)])
    _ = try journal.append([request([1, 6], 1, key: 5, app: 3), request([1, 5], 1)])
    let all = try journal.parts(after: 0, limit: 1 << 20)
    #expect(texts(all.parts) == ["3 [1, 9, 1, 8, 1, 7] -", "1 [1, 6] app 3 key 5", "1 [1, 5] -"])
    #expect(all.through == 5)
    let later = try journal.parts(after: 2, limit: 1 << 20)
    #expect(texts(later.parts) == ["1 [1, 7] -", "1 [1, 6] app 3 key 5", "1 [1, 5] -"])
    let one = try journal.parts(after: 0, limit: 0)
    #expect(texts(one.parts) == ["3 [1, 9, 1, 8, 1, 7] -"] && one.through == 3)
    #expect(try journal.parts(after: 5, limit: 1 << 20).parts.isEmpty)
  }

  @Test("a relayed journal reports sequences that it no longer has or cannot read")
  func missing() throws {
    let journal = try journal("node.db", isOfNode: true)
    for value in 1...4 as ClosedRange<UInt8> { _ = try journal.append([request([1, value, 1, value], 2)]) }
    try journal.writer.write { try $0.execute(sql: "UPDATE batch SET records = x'05' WHERE through = 4") }
    try journal.writer.write { try $0.execute(sql: "DELETE FROM batch WHERE through IN (2, 8)") }
    let found = try journal.parts(after: 0, limit: 1 << 20)
    #expect(texts(found.parts) == ["missing 2", "missing 2", "2 [1, 3, 1, 3] -", "missing 2"])
    #expect(found.through == 8)
  }

  @Test("a relayed journal is taken over once, with every key, and from only one position")
  func take() throws {
    let journal = try journal("primary.db")
    let node = NodeID("0123456789abcdef")
    func take(_ requests: [PendingRecords], after: Int64, through: Int64) throws -> String {
      switch try journal.take(
        requests, of: node, named: "one", after: after, through: through, at: Timestamp(milliseconds: 5))
      {
      case .taken(let position, let batch, let repeated, let isNew):
        "through \(position), \(batch?.count ?? 0) new, \(repeated.count) repeated\(isNew ? ", new node" : "")"
      case .elsewhere(let position): "elsewhere \(position)"
      case .tooManyNodes: "too many"
      }
    }
    _ = try journal.append([request([1, 1], 1, key: 5)])
    let requests = [request([1, 2], 1), request([1, 3], 1, key: 5), request([1, 4], 1, key: 6)]
    #expect(try take(requests, after: 100, through: 103) == "through 103, 2 new, 1 repeated, new node")
    #expect(try take(requests, after: 100, through: 103) == "elsewhere 103")
    #expect(try take([], after: 103, through: 103) == "through 103, 0 new, 0 repeated")
    #expect(try take([], after: 103, through: 110) == "through 110, 0 new, 0 repeated")
    #expect(try journal.lastSequence() == 3)
    #expect(try journal.ingestNodes().map(\.position) == [110])
    #expect(try journal.forget(node))
    #expect(try take([], after: 7, through: 7) == "through 7, 0 new, 0 repeated, new node")
    for number in 1..<IngestNode.most {
      _ = try journal.take(
        [], of: NodeID("00000000000000\(String(number + 16, radix: 16))"), named: "n", after: 0, through: 0,
        at: Timestamp(milliseconds: 5))
    }
    let one = try journal.take(
      [], of: NodeID("ffffffffffffffff"), named: "n", after: 0, through: 0, at: Timestamp(milliseconds: 5))
    guard case .tooManyNodes = one else {
      Issue.record("\(one)")
      return
    }
  }

  @Test("a single machine's journal stores no requests and is refused as a node's journal")
  func kinds() throws {
    let own = try journal("own.db")
    _ = try own.append([request([1, 2], 1, key: 5)])
    #expect(try own.reader.read { try Int.fetchOne($0, sql: "SELECT count(requests) FROM batch") } == 0)
    let node = try journal("node.db", isOfNode: true)
    _ = try node.openRelay()
    #expect(throws: NodeJournalError.self) { try journal("node.db") }
  }

  @Test("a relayed journal with a newer store has no positions of nodes, so that nothing counts twice")
  func olderJournal() throws {
    let node = NodeID("0123456789abcdef")
    let before = try journal("primary.db")
    _ = try before.take(
      [request([1, 2], 1)], of: node, named: "one", after: 0, through: 1, at: Timestamp(milliseconds: 5))
    let after = try SQLiteJournal(path: folder.path + "/primary.db") { _ in 50 }
    #expect(try after.ingestNodes().isEmpty)
    #expect(try after.lastSequence() == 50)
  }

  @Test("a relayed journal knows its waiting bytes without measuring the same ones twice")
  func backlog() throws {
    let journal = try journal("node.db", isOfNode: true)
    let size = JournalBacklogSize(journal)
    #expect(try size.measure(after: 0) == 0)
    for value in 1...3 as ClosedRange<UInt8> { _ = try journal.append([request([1, value], 1)]) }
    #expect(try size.measure(after: 0) == 6)
    _ = try journal.append([request([3, 1, 2, 3], 1)])
    #expect(try size.measure(after: 0) == 10)
    #expect(try size.measure(after: 4) == 0)
    _ = try journal.append([request([1, 1], 1)])
    #expect(try size.measure(after: 4) == 2)
  }
}
