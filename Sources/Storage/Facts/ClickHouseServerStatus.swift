public import Core

/// The state of the servers that store the rows: waiting blocks and failures.
public struct ClickHouseServerStatus: Sendable {
  public var shards: [Shard]
  /// The number of blocks that wait for any server, and their size in the outbox.
  public var waitingBlocks: Int
  public var waitingBytes: Int
  /// The number of blocks stored since the process started.
  public var storedBlocks: Int
  /// The number of blocks that a server had stored and lost since the process started. They were sent again.
  public var lostBlocks: Int
  public var lastStored: Timestamp?

  public struct Shard: Sendable {
    /// The server's address.
    public var name: String
    /// The number of blocks that are assigned to this server and not known to be stored.
    public var waitingBlocks: Int
    /// The reason why it stores no rows now; nil if it does.
    public var failure: String?
    var failingSince: Timestamp?

    public init(name: String, waitingBlocks: Int, failure: String?, failingSince: Timestamp?) {
      self.name = name
      self.waitingBlocks = waitingBlocks
      self.failure = failure
      self.failingSince = failingSince
    }
  }

  public init(
    shards: [Shard], waitingBlocks: Int, waitingBytes: Int, storedBlocks: Int, lostBlocks: Int, lastStored: Timestamp?
  ) {
    self.shards = shards
    self.waitingBlocks = waitingBlocks
    self.waitingBytes = waitingBytes
    self.storedBlocks = storedBlocks
    self.lostBlocks = lostBlocks
    self.lastStored = lastStored
  }
}
