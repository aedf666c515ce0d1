public import Core

/// A change of one row of numbers, with names instead of ids, so that the changes of all nodes add up in one store.
///
/// The changes of a row may be added in any order; their sum is the row.
public struct Fact: Sendable {
  public var scope: FactScope
  public var metric: MetricReference
  /// The label; empty for the sum over all labels.
  public var label: String
  public var source: Source
  public var bin: TimeBin
  public var change: Change

  /// The value that is added to a row.
  public enum Change: Sendable, Equatable {
    /// An aggregate of any kind except users. An aggregate of sessions may be negative.
    case sum(Aggregate)
    /// A user, by hash, who joins the row's set (`by` 1) or leaves it (−1). A user is a member while the sum is above
    /// 0.
    case member(user: UInt64, of: UserSetName, by: Int64)
  }

  /// The sets of users in a row.
  public enum UserSetName: Sendable, Equatable {
    case all
    case crashed
  }

  public init(
    scope: FactScope, metric: MetricReference, label: String = "", source: Source, bin: TimeBin, change: Change
  ) {
    self.scope = scope
    self.metric = metric
    self.label = label
    self.source = source
    self.bin = bin
    self.change = change
  }
}

/// The names that a row of numbers belongs to: all names of a cell, or some of them if the row is a sum over the
/// others.
public struct FactScope: Hashable, Sendable {
  public var kind: SliceKind
  public var app: AppID
  public var environment: String
  /// The release; empty for a kind that is a sum over releases. The same applies to the other names.
  public var release: Release
  public var os: String
  public var model: String
  public var deviceClass: String
  /// The value of the app's attribute; nil if none was sent, or for a kind that is a sum over values.
  public var attribute: AppAttribute?

  public init(
    _ kind: SliceKind, app: AppID, environment: String, release: Release, os: String, model: String,
    deviceClass: String, attribute: AppAttribute?
  ) {
    self.kind = kind
    self.app = app
    self.environment = environment
    self.release = kind.has(.release) ? release : Release(version: "")
    self.os = kind.has(.os) ? os : ""
    self.model = kind.has(.device) ? model : ""
    self.deviceClass = kind.has(.deviceClass) ? deviceClass : ""
    self.attribute = kind.has(.attribute) ? attribute : nil
  }

  /// The scopes of the rows that a change of a cell affects. Labels are kept only in the first two, and only cells with
  /// a value of the app's attribute have rows by attribute.
  static func all(of cell: CellKey) -> [FactScope] {
    let deviceClass = DeviceClass.of(model: cell.model).name
    return SliceKind.allCases.filter { $0 == .cell || cell.attribute != nil || !$0.has(.attribute) }.map {
      FactScope(
        $0, app: cell.app, environment: cell.environment, release: cell.release, os: cell.os, model: cell.model,
        deviceClass: deviceClass, attribute: cell.attribute)
    }
  }
}

extension CellDelta {
  /// The changes of all rows that this change of a cell affects.
  var facts: [Fact] {
    let scopes = FactScope.all(of: key)
    return series.flatMap { series in
      (series.label.isEmpty ? scopes[...] : scopes[..<2]).map {
        Fact(
          scope: $0, metric: series.metric, label: series.label, source: key.source, bin: bin,
          change: .sum(series.aggregate))
      }
    }
  }
}

extension RowQuery {
  /// The scope that the query reads: the coarsest with its filters and its dimension. Rows by label exist only for
  /// cells and for the total.
  public var scope: SliceKind {
    var named: Set<Dimension> = []
    if slice.release != nil { named.insert(.release) }
    if slice.os != nil { named.insert(.os) }
    if slice.device != nil { named.insert(.device) }
    if slice.deviceClass != nil { named.insert(.deviceClass) }
    if slice.attribute != nil { named.insert(.attribute) }
    if let dimension { named.insert(dimension) }
    let isLabelled = slice.label != nil || byLabel
    return isLabelled && !named.isEmpty ? .cell : Self.scopes[named] ?? .cell
  }

  private static let scopes: [Set<Dimension>: SliceKind] = [
    []: .all, [.release]: .release, [.os]: .system, [.device]: .device, [.deviceClass]: .deviceClass,
    [.release, .deviceClass]: .releaseAndClass, [.attribute]: .attribute,
    [.release, .attribute]: .releaseAndAttribute, [.attribute, .deviceClass]: .attributeAndClass,
  ]
}

/// A separate database for the rows of a ledger, to which blocks of changes are sent.
public protocol FactTable: Sendable {
  /// The maximum number of changes in one block.
  var mostFacts: Int { get }

  /// Encodes changes as one block that contains its own identity. `received`: the day on which the last of the changes
  /// was received.
  func encode(_ facts: [Fact], _ block: BlockID, of node: NodeID, received: CalendarDay) -> [UInt8]

  /// The current state. Reads between two equal states see the same data.
  func state() throws -> FactTableState

  /// The rows of a query, from all blocks sent so far.
  func rows(_ query: RowQuery) throws -> [MetricRow]

  /// The builds of an app by environment, with the first and last day on which each has rows.
  func releases(of app: AppID) throws -> [KnownRelease]

  /// All stored rows of an app in scopes of one kind, on seven days from `day` on, with their names.
  func stored(_ app: AppID, _ kind: SliceKind, from day: CalendarDay) throws -> [StoredFact]

  /// Deletes rows of an app, and returns the number of stored rows. All earlier blocks must have been sent. A trial
  /// deletes nothing.
  func delete(_ part: FactPart, isTrial: Bool) throws -> Int

  /// Deletes rows that were received before the retention period of their kind, in units of weeks.
  func expire(_ retention: Retention, today: CalendarDay) throws
}

/// The number of blocks stored in recent weeks, and the highest number among them.
public struct FactTableState: Equatable, Sendable {
  var blocks: Int64
  var newest: Int64

  public init(blocks: Int64, newest: Int64) {
    self.blocks = blocks
    self.newest = newest
  }
}

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

/// A row with its names.
public struct StoredFact: Sendable {
  public var scope: FactScope
  public var row: MetricRow
  /// The last day of the week in which the row was last received.
  public var received: CalendarDay

  public init(scope: FactScope, row: MetricRow, received: CalendarDay) {
    self.scope = scope
    self.row = row
    self.received = received
  }
}

/// A part of an app's rows.
public struct FactPart: Sendable, Equatable {
  public var app: AppID
  /// The days to delete, counted from 1970; nil for all.
  public var days: [ClosedRange<Int>]?
  /// The names of the metrics to delete; nil for all.
  public var metrics: [String]?

  public init(app: AppID, days: [ClosedRange<Int>]? = nil, metrics: [String]? = nil) {
    self.app = app
    self.days = days
    self.metrics = metrics
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
