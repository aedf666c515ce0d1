import ClickHouseServer
import Foundation
import Testing
import TestSupport
@testable import ClickHouseStore
@testable import Core
@testable import SQLiteStore
@testable import Storage

/// A ledger's own files, which need no server.
@Suite("The outbox of a ledger")
struct OutboxTests {
  private static let node = NodeID("0123456789abcdef")
  /// Servers that nothing is sent to.
  private static var unreachable: FactCluster {
    get throws {
      FactCluster([ClickHouseClient(try ClickHouseAddress("clickhouse://127.0.0.1:1/x"))], name: nil) { MadeUp.now }
    }
  }

  @Test("the outbox of a ledger has a block of an applied batch and none of a refused one")
  func transaction() throws {
    try withFolder { folder in
      let ledger = try SQLiteStore(path: folder + "/plumb.db", facts: try Self.unreachable)
      var random = SeededRandom(seed: 1)
      let batches = MadeUp.batches(3, of: Self.node, &random)
      try ledger.apply(batches[0])
      #expect(throws: StoreError.notContiguous(expected: 2, offered: 3)) { try ledger.apply(batches[2]) }
      try ledger.apply(batches[1])
      #expect(try ledger.waitingBlocks(limit: .max).map(\.number) == [1, 2])
      #expect(try ledger.waitingBlocks(limit: 1).map(\.number) == [1])
      try ledger.assign(1, to: "a")
      #expect(throws: StoreError.self) { try ledger.assign(1, to: "b") }
      try ledger.confirm([1, 2], in: "a", at: Timestamp(milliseconds: 5))
      // The other one was never sent there.
      #expect(try ledger.waitingBlocks(limit: .max).map(\.number) == [2])
      #expect(try ledger.reopen(in: "a", storedNow: [1]) == 0)
      #expect(try ledger.reopen(in: "a", storedNow: []) == 1)
      #expect(try ledger.waitingBlocks(limit: .max).map(\.shard) == ["a", nil])
    }
  }

  @Test("a full outbox of a ledger refuses batches until blocks are stored")
  func bound() throws {
    try withFolder { folder in
      var limits = StoreLimits()
      limits.outboxBytes = 1
      let ledger = try SQLiteStore(path: folder + "/plumb.db", limits: limits, facts: try Self.unreachable)
      var random = SeededRandom(seed: 2)
      let batches = MadeUp.batches(2, of: Self.node, &random)
      try ledger.apply(batches[0])
      #expect(throws: OutboxFull.self) { try ledger.apply(batches[1]) }
      #expect(try ledger.position(of: Self.node).through == 1)
      try ledger.assign(1, to: "a")
      try ledger.confirm([1], in: "a", at: Timestamp(milliseconds: 5))
      try ledger.apply(batches[1])
      #expect(try ledger.waitingBlocks(limit: .max).map(\.number) == [2])
    }
  }

  @Test("a store cannot become a ledger, and a ledger cannot become a store")
  func kinds() throws {
    try withFolder { folder in
      try SQLiteStore(path: folder + "/store.db").close()
      #expect(throws: SchemaError.hasRows) {
        try SQLiteStore(path: folder + "/store.db", facts: try Self.unreachable)
      }
      try SQLiteStore(path: folder + "/ledger.db", facts: try Self.unreachable).close()
      try SQLiteStore(path: folder + "/ledger.db", facts: try Self.unreachable).close()
      #expect(throws: SchemaError.isLedger) {
        try SQLiteStore(path: folder + "/ledger.db")
      }
    }
  }
}
