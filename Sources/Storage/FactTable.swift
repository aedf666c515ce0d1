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
  func stored(_ app: AppID, _ kind: FactScope.Kind, from day: CalendarDay) throws -> [StoredFact]

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
