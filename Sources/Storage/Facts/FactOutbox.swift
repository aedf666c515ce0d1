public import Core

/// The number of a node's block with a random number. The random number distinguishes the blocks of two copies of the
/// node.
public struct BlockID: Hashable, Sendable {
  public var number: Int64
  public var nonce: UInt64

  public init(number: Int64, nonce: UInt64) {
    self.number = number
    self.nonce = nonce
  }
}

/// The outbox of a node: blocks on their way to the store with the rows. Their numbers count from 1 without gaps.
public protocol FactOutbox: Sendable {
  /// The node's name, under which its blocks are stored.
  func factNode() throws -> NodeID

  /// The number of the newest block ever created; 0 before the first.
  func lastBlock() throws -> Int64

  /// The amount of waiting blocks.
  func waiting() throws -> OutboxBacklog

  /// The blocks that are not known to be stored, oldest first: at least one if any waits, then more up to `limit`
  /// bytes.
  func waitingBlocks(limit: Int) throws -> [OutboxBlock]

  /// Records the server for a block before the first attempt. The block must not be sent to another server afterwards,
  /// because a lost response does not mean that the block is not stored.
  func assign(_ number: Int64, to shard: String) throws

  /// Records that a server has stored blocks.
  func confirm(_ numbers: [Int64], in shard: String, at time: Timestamp) throws

  /// Marks blocks as waiting again that were stored in a server and are not among its current blocks, unless they were
  /// deleted. Returns their number.
  func reopen(in shard: String, storedNow numbers: Set<Int64>) throws -> Int

  /// The blocks in the outbox, oldest first.
  func blocks() throws -> [BlockID]

  /// Deletes blocks that were stored before a time, except those of these servers. Behind a block that stays, only the
  /// content is deleted and the number is kept.
  func forget(storedBefore time: Timestamp, exceptIn servers: [String]) throws
}

/// The amount of blocks that wait in an outbox.
public struct OutboxBacklog: Sendable, Equatable {
  public var blocks: Int
  /// The size of the compressed blocks in bytes.
  public var bytes: Int
  /// The number of blocks by assigned server; "" stands for blocks without an attempt.
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
  /// The server that the block is assigned to; nil before the first attempt.
  public var shard: String?
  public var bytes: [UInt8]

  public var number: Int64 { id.number }

  public init(_ id: BlockID, shard: String?, bytes: [UInt8]) {
    self.id = id
    self.shard = shard
    self.bytes = bytes
  }
}
