public import Core

/// The rows of a ledger in a system of their own, to which blocks of changes are sent.
public protocol FactTable: Sendable {
  /// The most changes of one block.
  var mostFacts: Int { get }

  /// The changes as one block, which says of itself which one it is. `received`: the day on which the last of them was
  /// received.
  func encode(_ facts: [Fact], _ block: BlockID, of node: NodeID, received: CalendarDay) -> [UInt8]

  /// What is stored now: reads between two equal answers are of one state.
  func state() throws -> FactTableState

  /// The rows of a query, as far as blocks were sent.
  func rows(_ query: RowQuery) throws -> [MetricRow]

  /// The builds of an app by environment, with the first and last day on which each has rows.
  func releases(of app: AppID) throws -> [KnownRelease]

  /// Everything that is stored of an app in scopes of one kind, on seven days from `day` on, with names.
  func stored(_ app: AppID, _ kind: SliceKind, from day: CalendarDay) throws -> [StoredFact]

  /// Deletes rows of an app, and returns how many there were as they are stored. Blocks that were made before must have been
  /// sent. A trial deletes nothing.
  func delete(_ part: FactPart, isTrial: Bool) throws -> Int

  /// Deletes what was received before the days that each kind of rows is kept, by weeks.
  func expire(_ retention: Retention, today: CalendarDay) throws
}

/// How many blocks of the last weeks are stored, and the greatest number among them.
public struct FactTableState: Equatable, Sendable {
  var blocks: Int64
  var newest: Int64

  public init(blocks: Int64, newest: Int64) {
    self.blocks = blocks
    self.newest = newest
  }
}

/// The number of a node's block, and one drawn for it, by which blocks of two copies of the node differ.
public struct BlockID: Hashable, Sendable {
  public var number: Int64
  public var nonce: UInt64

  public init(number: Int64, nonce: UInt64) {
    self.number = number
    self.nonce = nonce
  }
}

/// A row with its names.
public struct StoredFact: Sendable {
  public var scope: FactScope
  public var row: MetricRow
  /// The last day of the week in which it was last received.
  public var received: CalendarDay

  public init(scope: FactScope, row: MetricRow, received: CalendarDay) {
    self.scope = scope
    self.row = row
    self.received = received
  }
}

/// A part of an app's rows that belongs to nothing else.
public struct FactPart: Sendable, Equatable {
  public var app: AppID
  /// Only these days, counted from 1970; nil for all.
  public var days: [ClosedRange<Int>]?
  /// Only the metrics of these names; nil for all.
  public var metrics: [String]?

  public init(app: AppID, days: [ClosedRange<Int>]? = nil, metrics: [String]? = nil) {
    self.app = app
    self.days = days
    self.metrics = metrics
  }
}

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
