public import Core

/// A node's blocks on their way to the store that has the rows. Their numbers count from 1 without gaps.
public protocol FactOutbox: Sendable {
  /// The name under which blocks are stored.
  func factNode() throws -> NodeID

  /// The number of the newest block ever made; 0 before the first.
  func lastBlock() throws -> Int64

  /// How much waits.
  func waiting() throws -> OutboxBacklog

  /// The blocks that are not known to be stored, oldest first: at least one if there is any, then more up to `limit` bytes.
  func waitingBlocks(limit: Int) throws -> [OutboxBlock]

  /// Notes, before the first attempt, the server that a block is sent to. It must not be sent to another one afterwards: a
  /// lost answer does not mean a lost block.
  func assign(_ number: Int64, to shard: String) throws

  /// Notes that blocks of a server are stored.
  func confirm(_ numbers: [Int64], in shard: String, at time: Timestamp) throws

  /// Lets those blocks wait again that were stored in a server and are not among those that it has now, unless they were
  /// deleted. Returns their number.
  func reopen(in shard: String, storedNow numbers: Set<Int64>) throws -> Int

  /// The blocks that the outbox has, oldest first.
  func blocks() throws -> [BlockID]

  /// Deletes blocks that were known to be stored before a time, except in these servers. Of those behind a block that stays,
  /// the numbers stay.
  func forget(storedBefore time: Timestamp, exceptIn servers: [String]) throws
}

/// How much waits in an outbox.
public struct OutboxBacklog: Sendable, Equatable {
  public var blocks: Int
  /// The bytes of the blocks as they are kept, compressed.
  public var bytes: Int
  /// The blocks that a server was tried for, by its name; those of the name "" were tried nowhere.
  public var byShard: [String: Int]

  public init(blocks: Int, bytes: Int, byShard: [String: Int]) {
    self.blocks = blocks
    self.bytes = bytes
    self.byShard = byShard
  }
}

/// A block that waits in an outbox.
public struct OutboxBlock: Sendable, Equatable {
  public var id: BlockID
  /// The server that the block is sent to; nil before the first attempt.
  public var shard: String?
  public var bytes: [UInt8]

  public var number: Int64 { id.number }

  public init(_ id: BlockID, shard: String?, bytes: [UInt8]) {
    self.id = id
    self.shard = shard
    self.bytes = bytes
  }
}
