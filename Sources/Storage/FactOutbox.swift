public import Telemetry

/// Encodes changes for the store that has the rows.
public protocol FactEncoder: Sendable {
  /// The most changes of one block.
  var mostFacts: Int { get }

  /// The changes as one block, which says of itself that it is the node's block of that number. `received`: the day on which
  /// the last of them was received.
  func encode(_ facts: [Fact], number: Int64, received: CalendarDay) -> [UInt8]
}

/// A node's blocks on their way to the store that has the rows. Their numbers count from 1 without gaps.
public protocol FactOutbox: Sendable {
  /// The blocks that are not known to be stored, oldest first: at least one if there is any, then more up to `limit` bytes.
  func waitingBlocks(limit: Int) throws -> [OutboxBlock]

  /// Notes, before the first attempt, the server that a block is sent to. It must not be sent to another one afterwards: a
  /// lost answer does not mean a lost block.
  func assign(_ number: Int64, to shard: String) throws

  /// Notes that blocks of a server are stored.
  func confirm(_ numbers: ClosedRange<Int64>, in shard: String, at time: Timestamp) throws

  /// Lets those blocks wait again that were stored in a server and are in none of the ranges that it has now. Returns their
  /// number.
  func reopen(in shard: String, storedNow ranges: [ClosedRange<Int64>]) throws -> Int

  /// The number of the oldest block that the outbox has; nil without any.
  func oldestBlock() throws -> Int64?

  /// Deletes blocks that were known to be stored before a time.
  func forget(storedBefore time: Timestamp) throws
}

/// A block that waits in an outbox.
public struct OutboxBlock: Sendable, Equatable {
  public var number: Int64
  /// The server that the block is sent to; nil before the first attempt.
  public var shard: String?
  public var bytes: [UInt8]

  public init(number: Int64, shard: String?, bytes: [UInt8]) {
    self.number = number
    self.shard = shard
    self.bytes = bytes
  }
}
