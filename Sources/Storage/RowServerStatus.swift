public import Core

/// What waits for the servers with the rows, and which of them fail.
public struct RowServerStatus: Sendable {
  public var shards: [Shard]
  /// The blocks that wait for any of them, and their bytes in the outbox.
  public var waitingBlocks: Int
  public var waitingBytes: Int
  /// Since the process started.
  public var storedBlocks: Int
  /// The blocks that a server had stored and lost, since the process started. They were sent again.
  public var lostBlocks: Int
  public var lastStored: Timestamp?

  public struct Shard: Sendable {
    /// The server's address.
    public var name: String
    /// The blocks that this server was tried for and that are not known to be stored.
    public var waitingBlocks: Int
    /// Why it takes no rows now; nil if it does.
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
