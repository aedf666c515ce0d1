public import Core
public import Statistics

/// The store of everything derived from records. Each record is applied exactly once.
public protocol Store: Sendable {
  /// The position up to which records of `node` are applied.
  func position(of node: NodeID) throws -> DigestPosition

  /// Applies a batch and its position in one transaction. A batch that does not start at the stored position is refused
  /// with `StoreError.notContiguous`.
  func apply(_ batch: DigestedBatch) throws

  /// The rows of a slice and window, read from the smallest table that contains them.
  func rows(_ query: RowQuery) throws -> [MetricRow]

  /// Passes the same rows to `body` one by one, so that they are not all in memory. `body` must not read the store.
  func forEachRow(of query: RowQuery, _ body: (MetricRow) throws -> Void) throws

  /// Reads only the counts in a query's rows, which is faster than decoding many rows.
  func usage(_ query: RowQuery) throws -> [UsageRow]

  /// Reads only the correlation sums of payload values, added up over days. A metric, source and member may have
  /// several rows.
  func likeness(_ query: RowQuery) throws -> [LikenessRow]

  /// The environments and releases of an app, with their first and last days.
  func inventory(of app: AppID) throws -> AppInventory

  /// The tallies of an app by day.
  func tallies(of app: AppID, in window: Window) throws -> [IntakeTally]

  /// The tallies added up over the window, with at most as many names as a page shows.
  func tallySummary(of app: AppID, in window: Window) throws -> TallySummary

  /// The diagnostics that match a query, newest first.
  func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic]

  /// The body and call stacks of a diagnostic; nil if they are no longer stored.
  func sample(of app: AppID, identity: UInt64) throws -> StoredSample?

  /// Merges fine bins into coarser ones when they reach a certain age, and deletes expired rows.
  func compact(now: Timestamp) throws
}

extension Store {
  /// The sequence up to which every record of `node` is applied; 0 before the first.
  public func watermark(of node: NodeID) throws -> Int64 { try position(of: node).applied }

  public func tallySummary(of app: AppID, in window: Window) throws -> TallySummary {
    TallySummary(of: try tallies(of: app, in: window))
  }
}

/// A selection of rows by app, slice, window and metric.
public struct RowQuery: Sendable {
  public var app: AppID
  public var slice: Slice
  public var window: Window
  /// The names of the metrics to read; nil for all.
  public var metrics: [String]?
  /// Whether counters other than sessions and users may be omitted.
  public var leavesOutTotals = false
  /// The dimension to break rows down by; nil for the slice as a whole.
  public var dimension: Dimension?
  /// The name of the attribute whose values are the members of the dimension `attribute`.
  public var attribute: String?
  /// Whether rows are returned per label rather than for the sum over labels.
  public var byLabel: Bool
  /// The time resolution of the rows to return.
  public var bins: Bins

  /// The time resolution of rows.
  public enum Bins: Sendable {
    /// The finest resolution that is stored.
    case finest
    /// One bin per day, read from fewer rows if the day's sum is stored. Other days are returned in finer bins with the
    /// same total.
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

/// A stored row with its names resolved.
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

/// The environments and releases of an app, and the position up to which its records are applied.
public struct AppInventory: Sendable {
  /// The environments with data by name, each with its newest day.
  public var environments: [String: CalendarDay]
  public var releases: [KnownRelease]
  public var lastReceived: Timestamp?
  /// The sequence up to which records are applied.
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

/// A build in an environment, with its first and last day.
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

/// The reasons why a store refuses a batch or a query.
public enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  case notContiguous(expected: Int64, offered: Int64)
  /// The window starts before the oldest stored day. Combinations of filters are stored for 35 days only.
  case windowTooOld(oldest: CalendarDay)
  case damaged(String)
  /// The rows are on another server and cannot be read now, with the reason.
  case unavailable(String)

  public var description: String {
    switch self {
    case .notContiguous(let expected, let offered):
      "the batch starts at record \(offered), but the store expects \(expected)"
    case .windowTooOld(let oldest):
      "numbers for this selection are kept from \(oldest.iso) on (by default 35 days for combined filters, 400 days "
        + "for at most one of release, OS version, device and device class); choose a window that starts on that day or "
        + "later"
    case .damaged(let detail): "damaged row: \(detail)"
    case .unavailable(let reason): "numbers cannot be read now: \(reason)"
    }
  }
}

/// The result of reading a window: the complete value, or the first day from which rows are kept.
public enum Kept<Value> {
  case whole(Value)
  /// The rows with these filters are kept from this day on.
  case from(CalendarDay)

  /// Reads a window. Rethrows every error except `StoreError.windowTooOld`.
  public init(_ read: () throws -> Value) throws {
    do {
      self = .whole(try read())
    } catch StoreError.windowTooOld(let oldest) {
      self = .from(oldest)
    }
  }

  /// The value of the complete window; nil if some of its rows have expired.
  public var whole: Value? { if case .whole(let value) = self { value } else { nil } }
}

/// Counts of sessions by the time at which they became known. A crash is reported at the next launch, so a current
/// crash appears in arrivals earlier than in sessions by their start.
public protocol ArrivalHistory: Sendable {
  /// The arrivals from a time on, oldest first. They are kept for three days.
  func arrivals(_ query: ArrivalQuery) throws -> [Arrival]
}

/// A selection of arrivals by app, environment, release and time.
public struct ArrivalQuery: Sendable {
  public var app: AppID
  public var environment: String
  /// A version (`4.2.0`, all its builds) or a version and build (`4.2.0 (1234)`); nil for all.
  public var release: String?
  /// The first five-minute interval, in minutes since 1970-01-01T00:00Z.
  public var from: Int

  public init(app: AppID, environment: String, release: String? = nil, from: Int) {
    self.app = app
    self.environment = environment
    self.release = release
    self.from = from
  }
}

/// The sessions of one build that became known in an interval of five minutes.
public struct Arrival: Sendable, Equatable {
  /// The start of the five-minute interval, in minutes since 1970-01-01T00:00Z.
  public var start: Int
  /// The number of sessions whose first update arrived in the interval.
  public var seen: Int64
  /// The number of sessions that became known as crashed, regardless of when their first update arrived.
  public var crashed: Int64
  /// The known users of the crashed sessions.
  public var users: UserSet

  public init(start: Int, seen: Int64, crashed: Int64, users: UserSet) {
    self.start = start
    self.seen = seen
    self.crashed = crashed
    self.users = users
  }
}
