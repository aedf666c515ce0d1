public import Core

/// A separate database for the rows of a ledger, to which blocks of changes are sent.
public protocol FactTable: Sendable {
  /// The maximum number of changes in one block.
  var mostFacts: Int { get }

  /// Encodes changes as one block that contains its own identity. `received`: the day on which the last of the changes
  /// was received.
  func encode(_ facts: [Fact], _ block: BlockID, of node: NodeID, received: CalendarDay) -> [UInt8]

  /// The current state. Reads between two equal states see the same data.
  func state() throws -> FactTableState

  /// The rows of each query, from all blocks sent so far. One call for several queries is faster than one for each.
  func rows(_ queries: [RowQuery]) throws -> [[MetricRow]]

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
