public import Telemetry

/// The rows of a ledger in a system of their own, to which blocks of changes are sent.
public protocol FactTable: Sendable {
  /// The most changes of one block.
  var mostFacts: Int { get }

  /// The changes as one block, which says of itself that it is the node's block of that number. `received`: the day on which
  /// the last of them was received.
  func encode(_ facts: [Fact], number: Int64, of node: NodeID, received: CalendarDay) -> [UInt8]

  /// The rows of a query, as far as blocks were sent.
  func rows(_ query: RowQuery) throws -> [MetricRow]

  /// The builds of an app by environment, with the first and last day on which each has rows.
  func releases(of app: AppID) throws -> [KnownRelease]

  /// Deletes rows of an app. Blocks that were made before must have been sent.
  func delete(_ part: FactPart) throws

  /// Deletes what was received before the days that each kind of rows is kept, by weeks.
  func expire(_ retention: Retention, today: CalendarDay) throws
}

/// A part of an app's rows that belongs to nothing else.
public struct FactPart: Sendable, Equatable {
  public var app: AppID
  /// Only these days; nil for all.
  public var days: [ClosedRange<Int>]?
  /// Only the metric of this name; nil for all.
  public var metric: String?

  public init(app: AppID, days: [ClosedRange<Int>]? = nil, metric: String? = nil) {
    self.app = app
    self.days = days
    self.metric = metric
  }
}
