public import Core
import Foundation
import GRDB
public import Storage

/// The table `outbox`: blocks of changes, written by `OutboxWriter`, on their way to the store with the rows.
extension SQLiteStore: FactOutbox {
  public func factNode() throws -> NodeID { try pool.read(Self.factNode) }

  static func factNode(_ database: Database) throws -> NodeID {
    guard let text = try String.fetchOne(database.cachedStatement(sql: "SELECT node FROM ledger")) else {
      throw StoreError.damaged("the ledger has no name")
    }
    return NodeID(text)
  }

  public func lastBlock() throws -> Int64 {
    try pool.read { try Int64.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'outbox'") ?? 0 }
  }

  public func waiting() throws -> OutboxBacklog {
    try pool.read { database in
      var backlog = OutboxBacklog(blocks: 0, bytes: 0, byShard: [:])
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT coalesce(shard, ''), count(*), sum(length(block)) FROM outbox WHERE stored IS NULL GROUP BY shard
          """)
      for row in rows {
        backlog.byShard[try row.value(0)] = try row.value(1)
        backlog.blocks += try row.value(1)
        backlog.bytes += try row.value(2)
      }
      return backlog
    }
  }

  public func waitingBlocks(limit: Int) throws -> [OutboxBlock] {
    try pool.read { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT number, shard, size, block, nonce FROM outbox WHERE stored IS NULL ORDER BY number")
      var blocks: [OutboxBlock] = []
      var total = 0
      while total < limit, let row = try rows.next() {
        let (number, size): (Int64, Int) = (try row.value(0), try row.value(2))
        let bytes: Data = try row.value(3)
        do {
          let block = try bytes.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: size) }
          guard block.count == size else { throw StoreError.damaged("the block \(number) of the outbox") }
          let id = BlockID(number: number, nonce: UInt64(bitPattern: try row.value(4)))
          blocks.append(OutboxBlock(id, shard: try row.value(1, as: String?.self), bytes: block))
        } catch is CompressionError {
          throw StoreError.damaged("the block \(number) of the outbox")
        }
        total += size
      }
      return blocks
    }
  }

  public func assign(_ number: Int64, to shard: String) throws {
    try writeRows { database in
      try database.execute(
        sql: "UPDATE outbox SET shard = ? WHERE number = ? AND shard IS NULL", arguments: [shard, number])
      let assigned = try String.fetchOne(
        database, sql: "SELECT shard FROM outbox WHERE number = ?", arguments: [number])
      guard assigned == shard else {
        throw StoreError.damaged("the block \(number) was sent to \(assigned ?? "no server")")
      }
    }
  }

  public func confirm(_ numbers: [Int64], in shard: String, at time: Timestamp) throws {
    try writeRows { database in
      let update = try database.cachedStatement(
        sql: "UPDATE outbox SET stored = ? WHERE number = ? AND shard = ? AND stored IS NULL")
      for number in numbers { try update.execute(arguments: [time.milliseconds, number, shard]) }
    }
  }

  public func reopen(in shard: String, storedNow numbers: Set<Int64>) throws -> Int {
    try writeRows { database in
      let missing = try Int64.fetchAll(
        database, sql: "SELECT number FROM outbox WHERE stored NOT NULL AND shard = ? AND block <> x''",
        arguments: [shard]
      ).filter { !numbers.contains($0) }
      let update = try database.cachedStatement(sql: "UPDATE outbox SET stored = NULL WHERE number = ?")
      for number in missing { try update.execute(arguments: [number]) }
      return missing.count
    }
  }

  public func blocks() throws -> [BlockID] {
    try pool.read { database in
      try Row.fetchAll(database, sql: "SELECT number, nonce FROM outbox ORDER BY number").map {
        BlockID(number: try $0.value(0), nonce: UInt64(bitPattern: try $0.value(1)))
      }
    }
  }

  public func forget(storedBefore time: Timestamp, exceptIn servers: [String]) throws {
    let isPast = "stored < ? AND shard NOT IN (\(servers.map { _ in "?" }.joined(separator: ", ")))"
    let arguments = [time.milliseconds] + StatementArguments(servers)
    try writeRows { database in
      try database.execute(
        sql: """
          DELETE FROM outbox WHERE \(isPast)
            AND number < ifnull((SELECT min(number) FROM outbox WHERE NOT ifnull(\(isPast), FALSE)), \(Int64.max))
          """, arguments: arguments + arguments)
      // Behind a block that waits, the numbers are kept: they distinguish this folder from an older copy of it.
      try database.execute(
        sql: "UPDATE outbox SET block = x'' WHERE \(isPast) AND block <> x''", arguments: arguments)
    }
  }

  /// Throws `OutboxFull` if too many blocks wait.
  func checkOutbox() throws {
    let waiting = try waiting().bytes
    guard waiting <= limits.outboxBytes else { throw OutboxFull(waiting: waiting, most: limits.outboxBytes) }
  }
}

/// The error for a batch of a ledger if the ClickHouse servers have not yet stored enough of the earlier changes. The
/// same batch can be applied later.
struct OutboxFull: Error, Sendable, Equatable, CustomStringConvertible {
  /// The size of the waiting blocks, in bytes.
  let waiting: Int
  let most: Int

  var description: String {
    "\(waiting >> 20) MiB of changes wait for ClickHouse; the limit is \(most >> 20) MiB. The digest waits until some are stored."
  }
}
