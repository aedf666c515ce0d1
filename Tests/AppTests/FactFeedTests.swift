import Foundation
import Testing
import TestSupport

@testable import App
@testable import ClickHouseStore
@testable import Core
@testable import Storage

@Suite("The thread that sends rows to ClickHouse")
struct FactFeedTests {
  @Test("the thread that sends rows to ClickHouse stops soon if a server accepts a statement and does not respond")
  func silentServer() throws {
    let silent = Sink { _, _ in .late(120) }
    let client = ClickHouseClient(try ClickHouseAddress("clickhouse://127.0.0.1:\(silent.port)/default"))
    let cluster = FactCluster([client], name: nil) { Timestamp(milliseconds: 0) }
    let outbox = OneBlock()
    let feed = FactFeed(
      outbox, try cluster.sender(for: outbox), clock: { Timestamp(milliseconds: 0) }, changed: {}, report: { _ in })
    feed.start()
    try #require(eventually { !silent.requests.isEmpty })
    let begin = ContinuousClock.now
    feed.stop(within: 1)
    #expect(begin.duration(to: .now) < .seconds(10))
    // Whether the server has it is unknown, so it is not confirmed.
    #expect(try outbox.waiting().blocks == 1)
  }
}

/// An outbox with one block, which is never confirmed.
private struct OneBlock: FactOutbox {
  func factNode() throws -> NodeID { NodeID("0123456789abcdef") }
  func lastBlock() throws -> Int64 { 1 }
  func waiting() throws -> OutboxBacklog { OutboxBacklog(blocks: 1, bytes: 3, byShard: [:]) }
  func waitingBlocks(limit: Int) throws -> [OutboxBlock] {
    [OutboxBlock(BlockID(number: 1, nonce: 1), shard: nil, bytes: [1, 2, 3])]
  }
  func assign(_ number: Int64, to shard: String) throws {}
  func confirm(_ numbers: [Int64], in shard: String, at time: Timestamp) throws {
    if !numbers.isEmpty { Issue.record("confirmed") }
  }
  func reopen(in shard: String, storedNow numbers: Set<Int64>) throws -> Int { 0 }
  func blocks() throws -> [BlockID] { [BlockID(number: 1, nonce: 1)] }
  func forget(storedBefore time: Timestamp, exceptIn servers: [String]) throws {}
}
