public import Core

/// A change of one row of numbers, with its names instead of ids, so that any node's changes add up in one store.
///
/// The changes of a row may be added in any order; what they add up to is the row.
public struct Fact: Sendable {
  public var scope: FactScope
  public var metric: MetricReference
  /// The label; empty for the sum over all labels.
  public var label: String
  public var source: Source
  public var bin: TimeBin
  public var change: Change

  /// What is added to a row.
  public enum Change: Sendable, Equatable {
    /// An aggregate of any kind but users; one of sessions may be negative.
    case sum(Aggregate)
    /// A user, by hash, who becomes a member of the row's set (`by` 1) or is one no longer (−1). A user is a member as long
    /// as the sum is above 0.
    case member(user: UInt64, of: UserSetName, by: Int64)
  }

  /// The sets of users of a row.
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

/// The names that a row of numbers is of: all of a cell, or some of them for rows that are added up over the others.
public struct FactScope: Hashable, Sendable {
  public var kind: SliceKind
  public var app: AppID
  public var environment: String
  /// The release; without names for a kind that is added up over releases. So are the other names.
  public var release: Release
  public var os: String
  public var model: String
  public var deviceClass: String
  /// The value of the app's attribute; nil if none was sent, or for a kind that is added up over values.
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

  /// The scopes whose rows a cell's change changes. Labels are kept in the first two only, and only cells with a value of
  /// the app's attribute are added up by it.
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
  /// The changes of all rows that the cell's change changes.
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
  /// The scopes that the query reads: the coarsest that have its filters and its dimension. Rows by label exist of cells and
  /// of everything.
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
