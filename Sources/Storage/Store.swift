public import Telemetry

/// Everything derived from records. It applies each record exactly once and answers with rows.
public protocol Store: Sendable {
  /// How far records of `node` were applied.
  func position(of node: NodeID) throws -> DigestPosition

  /// Applies a batch in one transaction together with the position. It refuses any batch that does not start at the
  /// stored position (`StoreError.notContiguous`): a record counts exactly once.
  func apply(_ batch: DigestedBatch) throws

  /// The rows of a slice and window, from the smallest table that covers them.
  func rows(_ query: RowQuery) throws -> [MetricRow]

  /// The same rows one after the other, none of which has to be kept.
  func forEachRow(of query: RowQuery, _ body: (MetricRow) throws -> Void) throws

  /// Only the counts of a query's rows, which are many where bins are fine.
  func usage(_ query: RowQuery) throws -> [UsageRow]

  /// What is known of an app: its environments, releases and newest days.
  func inventory(of app: AppID) throws -> AppInventory

  /// What was counted beside the numbers, by day.
  func tallies(of app: AppID, in window: Window) throws -> [TallyDelta]

  /// The same added up over the window, and no more names than a page shows, whatever was sent.
  func tallySummary(of app: AppID, in window: Window) throws -> TallySummary

  /// Diagnostics that were counted, the newest first.
  func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic]

  /// The large parts of a diagnostic; nil when they were dropped.
  func sample(of app: AppID, identity: UInt64) throws -> StoredSample?

  /// Merges fine bins that have grown old into coarser ones and drops what is past its retention.
  func compact(now: Timestamp) throws
}

extension Store {
  /// The sequence up to which every record of `node` was applied, 0 before the first.
  public func watermark(of node: NodeID) throws -> Int64 { try position(of: node).applied }

  public func tallySummary(of app: AppID, in window: Window) throws -> TallySummary {
    TallySummary(of: try tallies(of: app, in: window))
  }
}

/// Which rows are wanted.
public struct RowQuery: Sendable {
  public var app: AppID
  public var slice: Slice
  public var window: Window
  /// Names of metrics; nil for all.
  public var metrics: [String]?
  /// Whether totals (counters) may be left out, but for sessions and users.
  public var leavesOutTotals = false
  /// One row per member of this dimension; nil for the slice as a whole.
  public var dimension: Dimension?
  /// Rows per label instead of their sum.
  public var byLabel: Bool
  /// The resolution of time.
  public var bins: Bins

  /// The resolution of time in rows.
  public enum Bins: Sendable {
    /// As finely as it is kept.
    case finest
    /// By the day, or finer where the day's sum is not kept: the same numbers from fewer rows.
    case days
  }

  public init(
    app: AppID, slice: Slice, window: Window, metrics: [String]? = nil, dimension: Dimension? = nil,
    byLabel: Bool = false, bins: Bins = .finest
  ) {
    self.app = app
    self.slice = slice
    self.window = window
    self.metrics = metrics
    self.dimension = dimension
    self.byLabel = byLabel
    self.bins = bins
  }
}

/// One stored row, its strings resolved.
public struct MetricRow: Sendable {
  public var metric: MetricReference
  public var label: String
  public var source: Source
  public var bin: TimeBin
  /// The member of the query's dimension; empty without one.
  public var member: String
  public var aggregate: Aggregate

  public init(
    metric: MetricReference, label: String, source: Source, bin: TimeBin, member: String, aggregate: Aggregate
  ) {
    self.metric = metric
    self.label = label
    self.source = source
    self.bin = bin
    self.member = member
    self.aggregate = aggregate
  }
}

/// The environments and releases of an app, and how far its records are digested.
public struct AppInventory: Sendable {
  /// Environments with data, by name, each with its newest day.
  public var environments: [String: CalendarDay]
  public var releases: [KnownRelease]
  public var lastReceived: Timestamp?
  /// The greatest sequence that was applied.
  public var digestedThrough: Int64

  public init(
    environments: [String: CalendarDay] = [:], releases: [KnownRelease] = [], lastReceived: Timestamp? = nil,
    digestedThrough: Int64 = 0
  ) {
    self.environments = environments
    self.releases = releases
    self.lastReceived = lastReceived
    self.digestedThrough = digestedThrough
  }
}

/// A build with the days it was seen on, per environment.
public struct KnownRelease: Sendable, Hashable {
  public var release: Release
  public var environment: String
  public var firstDay: CalendarDay
  public var lastDay: CalendarDay

  public init(release: Release, environment: String, firstDay: CalendarDay, lastDay: CalendarDay) {
    self.release = release
    self.environment = environment
    self.firstDay = firstDay
    self.lastDay = lastDay
  }
}

/// What a store refuses, and why.
public enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  case notContiguous(expected: Int64, offered: Int64)
  /// Finest rows are kept 35 days; no kept table answers this slice further back.
  case windowTooOld(oldest: CalendarDay)
  case damaged(String)

  public var description: String {
    switch self {
    case .notContiguous(let expected, let offered):
      "the batch starts at record \(offered), the store expects \(expected)"
    case .windowTooOld(let oldest):
      "these numbers are kept from \(oldest.iso) on: for 35 days where filters are combined, for 400 days with one of "
        + "release, OS, device or device class, or none; ask for a window that starts then or later"
    case .damaged(let detail): "damaged row: \(detail)"
    }
  }
}
