public import Core

/// The health of the server, as shown on its page and in its metrics.
public struct ServerStatus: Sendable, Equatable {
  public var version: String
  /// The sentences of `/readyz`; empty while the server is ready.
  public var faults: [String] = []
  public var disk: Disk?
  /// The disk usage by kind of data; empty until it is measured.
  public var kinds: [StoredKind] = []
  /// The time at which `kinds` were measured.
  public var measured: Timestamp?
  /// The number of records that wait for the digest; nil when unknown.
  public var digestLag: Int64?
  public var apps: [AppArrival] = []
  /// The ingest nodes, by name.
  public var nodes: [IngestNode] = []
  /// The channels whose last message failed.
  public var failedChannels: [FailedChannel] = []
  /// The refused data of the last seven days, most frequent first.
  public var rejected: [Rejection] = []

  public init(version: String) { self.version = version }

  /// The disk of the data folder.
  public struct Disk: Sendable, Equatable {
    public var free: Int
    public var total: Int
    /// The number of free bytes below which writing is restricted.
    public var floor: Int
    /// The days until free space reaches the floor at last week's growth; nil if there is no growth or it is unknown.
    public var daysLeft: Double?
    /// The problem as a sentence; nil while there is enough space.
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

  /// A channel that failed to deliver a message.
  public struct FailedChannel: Sendable, Equatable {
    public var name: String
    public var failure: String

    public init(name: String, failure: String) {
      self.name = name
      self.failure = failure
    }
  }

  /// The payloads and parts that were refused for one reason.
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

/// The disk space of one kind of data.
public struct StoredKind: Sendable, Equatable {
  /// The kind: `fine`, `daily`, `sessions`, `diagnostics`, `samples`, `journal`, `symbols`, `other`, `free pages`.
  public var name: String
  public var bytes: Int
  /// Row count; nil for kinds not stored as rows.
  public var rows: Int?
  /// The oldest day with data; nil if there is none.
  public var oldest: CalendarDay?
  /// The retention setting; nil if the kind has none.
  public var setting: String?

  public init(name: String, bytes: Int, rows: Int? = nil, oldest: CalendarDay? = nil, setting: String? = nil) {
    self.name = name
    self.bytes = bytes
    self.rows = rows
    self.oldest = oldest
    self.setting = setting
  }
}
