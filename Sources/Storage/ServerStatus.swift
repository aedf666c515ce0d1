public import Core

/// The health of a server itself, as its page and metrics show it.
public struct ServerStatus: Sendable, Equatable {
  public var version: String
  /// The sentences of `/readyz`; empty while the server is ready.
  public var faults: [String] = []
  public var disk: Disk?
  /// What takes room, by kind; empty until it was measured.
  public var kinds: [StoredKind] = []
  /// When `kinds` were measured.
  public var measured: Timestamp?
  /// The records that wait for the digest; nil when it is not known.
  public var digestLag: Int64?
  public var apps: [AppArrival] = []
  /// The ingest nodes, by name.
  public var nodes: [IngestNode] = []
  /// Channels whose last message failed.
  public var failedChannels: [FailedChannel] = []
  /// What was refused in the last seven days, the most frequent first.
  public var rejected: [Rejection] = []

  public init(version: String) { self.version = version }

  /// The disk of the data folder.
  public struct Disk: Sendable, Equatable {
    public var free: Int
    public var total: Int
    /// The free bytes below which less is written.
    public var floor: Int
    /// Days until the floor at last week's growth; nil while nothing grows or it is not known.
    public var daysLeft: Double?
    /// What is wrong, as a sentence; nil while there is room.
    public var warning: String?

    public init(free: Int, total: Int, floor: Int, daysLeft: Double?, warning: String?) {
      self.free = free
      self.total = total
      self.floor = floor
      self.daysLeft = daysLeft
      self.warning = warning
    }
  }

  /// The last payload of an app.
  public struct AppArrival: Sendable, Equatable {
    public var app: String
    public var lastPayload: Timestamp?

    public init(app: String, lastPayload: Timestamp?) {
      self.app = app
      self.lastPayload = lastPayload
    }
  }

  /// A channel that did not take a message.
  public struct FailedChannel: Sendable, Equatable {
    public var name: String
    public var failure: String

    public init(name: String, failure: String) {
      self.name = name
      self.failure = failure
    }
  }

  /// Payloads and parts that were refused for one reason.
  public struct Rejection: Sendable, Equatable {
    public var app: String
    public var reason: String
    public var count: Int

    public init(app: String, reason: String, count: Int) {
      self.app = app
      self.reason = reason
      self.count = count
    }
  }
}

/// The room that one kind of data takes.
public struct StoredKind: Sendable, Equatable {
  /// The kind: `fine`, `daily`, `sessions`, `diagnostics`, `samples`, `journal`, `symbols`, `other`, `free pages`.
  public var name: String
  public var bytes: Int
  /// The rows; nil for what has none.
  public var rows: Int?
  /// The oldest day with data; nil when there is none.
  public var oldest: CalendarDay?
  /// How long it is kept, as the setting says; nil without a setting.
  public var setting: String?

  public init(name: String, bytes: Int, rows: Int? = nil, oldest: CalendarDay? = nil, setting: String? = nil) {
    self.name = name
    self.bytes = bytes
    self.rows = rows
    self.oldest = oldest
    self.setting = setting
  }
}

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
